#pragma once

#include <stdint.h>

namespace dragoman::bench {

extern "C" {  // their names are the module's exports

/// What bounds an int8 product on this machine, each by itself. In the browser these are a module of their own, for the
/// reason that src/kernels/int8_product_relaxed.cpp is.

/// Reads `bytes` (a multiple of 128) once, by 16-byte loads, and does nothing else but keep them from being optimised
/// away. The result depends on all of them.
int32_t stream(const int8_t* bytes, int count);

/// Dot products that a round is.
inline constexpr int kDotsInRound = 96;

/// `rounds` times kDotsInRound dot products of 16 bytes, all operands in registers: the instructions of the plain
/// kernel, of `dot` and of `pairs`. There are two arrangements, 0 and 1: which of them gets more out of a processor
/// depends on what it waits for.
int32_t issue_plain(int rounds, int arrangement);
int32_t issue_dot(int rounds, int arrangement);
int32_t issue_pairs(int rounds, int arrangement);

}  // extern "C"

}  // namespace dragoman::bench
