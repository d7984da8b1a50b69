#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/simd.h"

namespace dragoman {
namespace {

constexpr float kSmallestSpan = 1e-30f;

struct Range {
  float lo, hi;  // lo <= 0 <= hi
};

struct RowScale {
  float scale, inverse;
  int32_t zero, most;
};

RowScale row_scale(Range range, int most) {
  const float span = range.hi - range.lo;
  if (span < kSmallestSpan) return {1, 0, 0, most};
  const float scale = span / static_cast<float>(most);
  return {scale, static_cast<float>(most) / span, static_cast<int32_t>(std::nearbyint(-range.lo / scale)), most};
}

uint8_t quantize(float x, const RowScale& s) {
  return static_cast<uint8_t>(std::clamp(static_cast<int>(std::nearbyint(x * s.inverse)) + s.zero, 0, s.most));
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

// Eight integers as they lie in words.
v128_t quantize8(const float* x, v128_t inverse, v128_t offset, v128_t most) {
  const v128_t words = wasm_i16x8_narrow_i32x4(quantize4(x, inverse, offset), quantize4(x + 4, inverse, offset));
  return wasm_i16x8_min(wasm_i16x8_max(words, wasm_i16x8_splat(0)), most);
}

// q [2 * stride] in one of the wide forms.
void quantize_row_wide(const float* x, int width, int stride, const RowScale& s, Form form, uint8_t* q) {
  const v128_t inverse = wasm_f32x4_splat(s.inverse), offset = wasm_i32x4_splat(s.zero - kRounderBits);
  const v128_t most = wasm_i16x8_splat(static_cast<int16_t>(s.most));
  for (int k = 0; k < stride; k += 8) {
    const int count = std::min(8, width - k), stored = std::min(8, stride - k);
    v128_t words;
    if (count == 8) {
      words = quantize8(x + k, inverse, offset, most);
    } else {
      float rest[8] = {};
      int16_t zeroed[8];
      std::copy(x + k, x + k + count, rest);
      wasm_v128_store(zeroed, quantize8(rest, inverse, offset, most));
      std::fill(zeroed + count, zeroed + 8, int16_t{0});
      words = wasm_v128_load(zeroed);
    }
    uint8_t bytes[16];
    if (form == Form::kWords) {
      wasm_v128_store(bytes, words);
      std::memcpy(q + 2 * k, bytes, 2 * stored);
    } else {
      wasm_v128_store(bytes,
                      wasm_u8x16_narrow_i16x8(wasm_u16x8_shr(words, 7), wasm_v128_and(words, wasm_i16x8_splat(127))));
      std::memcpy(q + k, bytes, stored);
      std::memcpy(q + stride + k, bytes + 8, stored);
    }
  }
}

}  // namespace

int largest_value(Form form, int width) {
  return form == Form::kBytes ? 127 : std::min(8191, std::numeric_limits<int32_t>::max() / 128 / width);
}

QuantizedRows quantize_rows(const float* x, int rows, int width, QuantizedRowsBuffer out, Form form) {
  const QuantizedRows quantized{out.values, out.scale, out.zero, rows, width, (width + 3) / 4 * 4, form};
  for (int r = 0; r < rows; ++r, x += width) {
    const RowScale s = row_scale(range_of(x, width), largest_value(form, width));
    out.scale[r] = s.scale;
    out.zero[r] = s.zero;
    uint8_t* const q = out.values + static_cast<size_t>(r) * quantized.row_bytes();
    if (form == Form::kBytes)
      quantize_row(x, width, quantized.stride, s, q);
    else
      quantize_row_wide(x, width, quantized.stride, s, form, q);
  }
  return quantized;
}

QuantizedRows quantize_rows_reference(const float* x, int rows, int width, QuantizedRowsBuffer out, Form form) {
  const QuantizedRows quantized{out.values, out.scale, out.zero, rows, width, (width + 3) / 4 * 4, form};
  const int most = largest_value(form, width), stride = quantized.stride;
  for (int r = 0; r < rows; ++r) {
    float lo = 0, hi = 0;
    for (int k = 0; k < width; ++k) {
      lo = std::fmin(lo, x[r * width + k]);
      hi = std::fmax(hi, x[r * width + k]);
    }
    const bool flat = hi - lo < 1e-30f;
    const float steps = static_cast<float>(most), scale = flat ? 1 : (hi - lo) / steps;
    const float inverse = flat ? 0 : steps / (hi - lo);
    const int zero = flat ? 0 : static_cast<int>(std::rint(-lo / scale));
    for (int k = 0; k < stride; ++k) {
      const int nearest = k < width ? static_cast<int>(std::rint(x[r * width + k] * inverse)) + zero : 0;
      const auto value = static_cast<int16_t>(nearest < 0 ? 0 : nearest > most ? most : nearest);
      uint8_t* const q = out.values + r * quantized.row_bytes();
      if (form == Form::kBytes) q[k] = static_cast<uint8_t>(value);
      if (form == Form::kWords) std::memcpy(q + 2 * k, &value, 2);
      if (form == Form::kPlanes)
        q[k] = static_cast<uint8_t>(value / 128), q[stride + k] = static_cast<uint8_t>(value % 128);
    }
    out.scale[r] = scale;
    out.zero[r] = zero;
  }
  return quantized;
}

}  // namespace dragoman
