#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dragoman::bench {
namespace {

constexpr double kWarmUp = 0.15;  // seconds: V8 has compiled the hot functions anew by then
constexpr double kTurn = 0.001;
constexpr int kTurns = 20;

double seconds_of(const std::function<void()>& work, int calls) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Calls that fill a turn.
int warm_up(const std::function<void()>& work) {
  int calls = 1;
  double elapsed = 0, fastest = std::numeric_limits<double>::infinity();
  while (elapsed < kWarmUp) {
    const double seconds = seconds_of(work, calls);
    elapsed += seconds;
    if (seconds < kTurn / 2) {
      calls *= 2;  // too short for the clock
    } else {
      fastest = std::min(fastest, seconds / calls);
    }
  }
  return std::max(1, static_cast<int>(std::lround(kTurn / fastest)));
}

}  // namespace

void take_turns(std::span<Contestant> contestants) {
  for (Contestant& c : contestants)
    if (c.calls == 0) c.calls = warm_up(c.work);
  for (int turn = 0; turn < kTurns; ++turn)
    for (Contestant& c : contestants) c.seconds = std::min(c.seconds, seconds_of(c.work, c.calls) / c.calls);
}

}  // namespace dragoman::bench
