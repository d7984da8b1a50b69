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

void quantize_row(const float* x, int width, int stride, const RowScale& s, uint8_t* q) {
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

// A step of the second pass is so much smaller than one of the first: what is left of a value is at most a step.
constexpr int kFiner = 63;

// rest = x - scale * (q - zero), in steps of scale / kFiner.
void quantize_rest(const float* x, int width, int stride, const RowScale& s, const uint8_t* q, uint8_t* rest) {
  const v128_t scale = wasm_f32x4_splat(s.scale), zero = wasm_i32x4_splat(s.zero);
  const v128_t inverse = wasm_f32x4_splat(s.inverse * kFiner), offset = wasm_i32x4_splat(kFiner - kRounderBits);
  int k = 0;
  for (; k + 4 <= width; k += 4) {
    const v128_t steps =
        wasm_i32x4_sub(wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(q + k))), zero);
    float left[4];
    wasm_v128_store(left,
                    wasm_f32x4_sub(wasm_v128_load(x + k), wasm_f32x4_mul(scale, wasm_f32x4_convert_i32x4(steps))));
    const v128_t halves = wasm_i16x8_narrow_i32x4(quantize4(left, inverse, offset), wasm_i32x4_splat(0));
    const v128_t bytes = wasm_u8x16_min(wasm_u8x16_narrow_i16x8(halves, halves), wasm_i8x16_splat(127));
    wasm_v128_store32_lane(rest + k, bytes, 0);
  }
  for (; k < width; ++k)
    rest[k] = quantize(x[k] - s.scale * static_cast<float>(q[k] - s.zero), {0, s.inverse * kFiner, kFiner});
  std::fill(rest + k, rest + stride, uint8_t{0});
}

}  // namespace

QuantizedRows quantize_rows(const float* x, int rows, int width, QuantizedRowsBuffer out, int passes) {
  const int stride = (width + 3) / 4 * 4;
  for (int r = 0; r < rows; ++r, x += width) {
    const RowScale s = row_scale(range_of(x, width));
    const int first = r * passes;
    out.scale[first] = s.scale;
    out.zero[first] = s.zero;
    uint8_t* const q = out.values + static_cast<size_t>(first) * stride;
    quantize_row(x, width, stride, s, q);
    if (passes == 1) continue;
    out.scale[first + 1] = s.scale / kFiner;
    out.zero[first + 1] = kFiner;
    quantize_rest(x, width, stride, s, q, q + stride);
  }
  return {out.values, out.scale, out.zero, rows, width, stride, passes};
}

QuantizedRows quantize_rows_reference(const float* x, int rows, int width, QuantizedRowsBuffer out, int passes) {
  const int stride = (width + 3) / 4 * 4;
  const auto clamped = [](int value) { return static_cast<uint8_t>(value < 0 ? 0 : value > 127 ? 127 : value); };
  for (int r = 0; r < rows; ++r) {
    float lo = 0, hi = 0;
    for (int k = 0; k < width; ++k) {
      lo = std::fmin(lo, x[r * width + k]);
      hi = std::fmax(hi, x[r * width + k]);
    }
    const bool flat = hi - lo < 1e-30f;
    const float scale = flat ? 1 : (hi - lo) / 127, inverse = flat ? 0 : 127 / (hi - lo);
    const int zero = flat ? 0 : static_cast<int>(std::rint(-lo / scale)), row = r * passes;
    for (int k = 0; k < stride; ++k) {
      const float value = k < width ? x[r * width + k] : 0;
      uint8_t& q = out.values[row * stride + k];
      q = k < width ? clamped(static_cast<int>(std::rint(value * inverse)) + zero) : 0;
      if (passes == 1) continue;
      const float rest = value - scale * static_cast<float>(q - zero);
      out.values[(row + 1) * stride + k] =
          k < width ? clamped(static_cast<int>(std::rint(rest * (inverse * 63))) + 63) : 0;
    }
    out.scale[row] = scale;
    out.zero[row] = zero;
    if (passes == 1) continue;
    out.scale[row + 1] = scale / 63;
    out.zero[row + 1] = 63;
  }
  return {out.values, out.scale, out.zero, rows, width, stride, passes};
}

}  // namespace dragoman
