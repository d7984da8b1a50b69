#pragma once

#include <cstdint>

namespace dragoman {

/// Activations as affine 7-bit integers, one scale and zero point a row:
///   x[r, k] ~ scale[r] * (values[r, k] - zero[r]),  values in 0..127.
/// Seven bits, because relaxed SIMD's dot product takes one operand of 0..127 (i7x16); affine, because half of
/// the products read the outputs of a ReLU, which then use all 128 steps for their positive range.
/// In two passes there is behind each row another one, of what rounding has left of it: seven bits more.
struct QuantizedRows {
  const uint8_t* values;  // [rows, passes, stride], columns width..stride-1 are 0
  const float* scale;     // [rows, passes]
  const int32_t* zero;    // [rows, passes], 0..127
  int rows;
  int width;
  int stride;  // width rounded up to a multiple of 4
  int passes = 1;
};

/// Where quantize_rows writes.
struct QuantizedRowsBuffer {
  uint8_t* values;
  float* scale;
  int32_t* zero;
};

/// x [rows, width] of finite floats -> out. Per row, with lo = min(0, min x) and hi = max(0, max x):
///   scale = (hi - lo) / 127, zero = nearest(-lo / scale), value = clamp(nearest(x * (127 / (hi - lo))) + zero, 0,
///   127);
/// a row whose hi - lo is below 1e-30 is all zeros, with scale 1. All in single precision, `nearest` rounds halves to
/// even: scripts/models/reference.py gives the same to the bit. Any width; no alignment. The second of two passes, with
/// r = x - scale * (value - zero), which is within a step of the first:
///   scale' = scale / 63, zero' = 63, value' = clamp(nearest(r * (63 * (127 / (hi - lo)))) + 63, 0, 127).
QuantizedRows quantize_rows(const float* x, int rows, int width, QuantizedRowsBuffer out, int passes = 1);

/// The definition of quantize_rows, one element at a time.
QuantizedRows quantize_rows_reference(const float* x, int rows, int width, QuantizedRowsBuffer out, int passes = 1);

}  // namespace dragoman
