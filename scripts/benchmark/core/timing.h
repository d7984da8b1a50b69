#pragma once

#include <functional>
#include <limits>
#include <span>

namespace dragoman::bench {

/// Work to be timed against other work: they take turns, so that what disturbs the machine disturbs all.
struct Contestant {
  std::function<void()> work;  // called through a pointer: each call may find code that V8 compiled better meanwhile
  double seconds = std::numeric_limits<double>::infinity();  // of one call, in the fastest turn
  int calls = 0;                                             // that fill a turn; found out at first
};

/// Lets them take turns of about a millisecond: short enough that some are not interrupted. The first time it warms all
/// up; called again later, it may find the machine less busy.
void take_turns(std::span<Contestant> contestants);

}  // namespace dragoman::bench
