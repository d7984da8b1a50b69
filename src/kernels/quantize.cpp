#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"

namespace dragoman {
namespace {

constexpr float kSteps = 127;
constexpr float kSmallestSpan = 1e-30f;

struct Range {
  float lo, hi;  // lo <= 0 <= hi
};

struct RowScale {
  float scale, inverse;
  int32_t zero;
};

RowScale row_scale(Range range) {
  const float span = range.hi - range.lo;
  if (span < kSmallestSpan) return {1, 0, 0};
  const float scale = span / kSteps;
  return {scale, kSteps / span, static_cast<int32_t>(std::nearbyint(-range.lo / scale))};
}

uint8_t quantize(float x, const RowScale& s) {
  return static_cast<uint8_t>(std::clamp(static_cast<int>(std::nearbyint(x * s.inverse)) + s.zero, 0, 127));
}

Range range_of(const float* x, int width) {
  v128_t lo = wasm_f32x4_splat(0), hi = lo;
  int k = 0;
  for (; k + 4 <= width; k += 4) {
    const v128_t v = wasm_v128_load(x + k);
    lo = wasm_f32x4_pmin(lo, v);
    hi = wasm_f32x4_pmax(hi, v);
  }
  float lows[4], highs[4];
  wasm_v128_store(lows, lo);
  wasm_v128_store(highs, hi);
  Range range{*std::min_element(lows, lows + 4), *std::max_element(highs, highs + 4)};
  for (; k < width; ++k) range = {std::min(range.lo, x[k]), std::max(range.hi, x[k])};
  return range;
}

// Adding 1.5 * 2^23 rounds a small float to the nearest integer, halves to even, and leaves it in the lowest bits: a
// saturating conversion, which no value here needs, is six instructions on x86.
constexpr float kRounder = 12582912.0f;
constexpr int32_t kRounderBits = 0x4B400000;

// offset: zero - kRounderBits.
v128_t quantize4(const float* x, v128_t inverse, v128_t offset) {
  const v128_t scaled = wasm_f32x4_mul(wasm_v128_load(x), inverse);
  return wasm_i32x4_add(wasm_f32x4_add(scaled, wasm_f32x4_splat(kRounder)), offset);
}

}  // namespace

QuantizedRows quantize_rows(const float* x, int rows, int width, QuantizedRowsBuffer out) {
  const int stride = (width + 3) / 4 * 4;
  for (int r = 0; r < rows; ++r, x += width) {
    const RowScale s = row_scale(range_of(x, width));
    out.scale[r] = s.scale;
    out.zero[r] = s.zero;
    uint8_t* q = out.values + static_cast<size_t>(r) * stride;
    const v128_t inverse = wasm_f32x4_splat(s.inverse), offset = wasm_i32x4_splat(s.zero - kRounderBits);
    const v128_t most = wasm_i8x16_splat(127);
    int k = 0;
    for (; k + 16 <= width; k += 16) {
      const v128_t low =
          wasm_i16x8_narrow_i32x4(quantize4(x + k, inverse, offset), quantize4(x + k + 4, inverse, offset));
      const v128_t high =
          wasm_i16x8_narrow_i32x4(quantize4(x + k + 8, inverse, offset), quantize4(x + k + 12, inverse, offset));
      wasm_v128_store(q + k, wasm_u8x16_min(wasm_u8x16_narrow_i16x8(low, high), most));
    }
    for (; k < width; ++k) q[k] = quantize(x[k], s);
    std::fill(q + k, q + stride, uint8_t{0});
  }
  return {out.values, out.scale, out.zero, rows, width, stride};
}

QuantizedRows quantize_rows_reference(const float* x, int rows, int width, QuantizedRowsBuffer out) {
  const int stride = (width + 3) / 4 * 4;
  for (int r = 0; r < rows; ++r) {
    float lo = 0, hi = 0;
    for (int k = 0; k < width; ++k) {
      lo = std::fmin(lo, x[r * width + k]);
      hi = std::fmax(hi, x[r * width + k]);
    }
    const bool flat = hi - lo < 1e-30f;
    const float scale = flat ? 1 : (hi - lo) / 127;
    const int zero = flat ? 0 : static_cast<int>(std::rint(-lo / scale));
    for (int k = 0; k < width; ++k) {
      const int value = flat ? 0 : static_cast<int>(std::rint(x[r * width + k] * (127 / (hi - lo)))) + zero;
      out.values[r * stride + k] = static_cast<uint8_t>(value < 0 ? 0 : value > 127 ? 127 : value);
    }
    for (int k = width; k < stride; ++k) out.values[r * stride + k] = 0;
    out.scale[r] = scale;
    out.zero[r] = zero;
  }
  return {out.values, out.scale, out.zero, rows, width, stride};
}

}  // namespace dragoman
