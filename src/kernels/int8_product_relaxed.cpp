// The int8 kernel on a dot product of bytes: relaxed SIMD's in the browser, VNNI or SSSE3 natively.
//
// Debian's Emscripten cannot compile relaxed SIMD (its clang writes opcodes that no browser takes), so a newer clang
// makes a module of its own of this file. That module shares the main module's memory, and its function is put into the
// main module's table where the browser has relaxed SIMD (src/bindings/embind.cpp). Freestanding: no
// library, no stack.
//
// There are two, because processors differ in what a dot product of bytes is made of: see relaxed_dot.h.
#include <stddef.h>
#include <stdint.h>

#include "kernels/int8_tile.h"
#include "kernels/relaxed_dot.h"

#if defined(__wasm_relaxed_simd__)
#define EXPORT extern "C" __attribute__((visibility("default")))
#else
#include "kernels/int8_product.h"
#define EXPORT
#endif

namespace dragoman {

/// See AccumulateInt8.
EXPORT void accumulate_int8_dot(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                int stride) {
  accumulate<Dot>(a, weights, acc, rows, groups, stride);
}

EXPORT void accumulate_int8_pairs(const uint8_t* a, const int8_t* weights, int32_t* acc, int rows, int groups,
                                  int stride) {
  accumulate<Pairs>(a, weights, acc, rows, groups, stride);
}

#if defined(__wasm_relaxed_simd__)
/// A lane of the dot product of bytes that are all w and all a. With w = 127 and a = 255, outside of what the standard
/// defines, the answer tells what it is made of: 65534 (each pair saturated at 32767) where the browser puts it
/// together from pairs; the exact 129540 with VNNI; -508 where a counts as signed, on ARM.
EXPORT int32_t probe_dot(int w, int a) {
  return wasm_i32x4_extract_lane(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
                                     wasm_i8x16_splat((int8_t)w), wasm_i8x16_splat((int8_t)a), wasm_i32x4_splat(0)),
                                 0);
}
#endif

}  // namespace dragoman
