#pragma once

#include <cstdint>

namespace dragoman {

/// How the integers of a row lie in memory.
enum class Form {
  kBytes,  // [stride] uint8, 0..127: seven bits, because relaxed SIMD's dot product takes one operand of 0..127 (i7x16)
  kWords,  // [stride] int16, 0..8191: thirteen bits, for what is near enough to the floats to be compared with them
  kPlanes,  // the same integers as two rows of bytes: value / 128, then value % 128
};

/// Activations as affine integers, one scale and zero point a row:
///   x[r, k] ~ scale[r] * (values[r, k] - zero[r]).
/// Affine, because half of the products read the outputs of a ReLU, which then use all steps for their positive range.
struct QuantizedRows {
  const uint8_t* values;  // [rows, row_bytes()], columns width..stride-1 are 0
  const float* scale;     // [rows]
  const int32_t* zero;    // [rows]
  int rows;
  int width;
  int stride;  // width rounded up to a multiple of 4
  Form form = Form::kBytes;

  int row_bytes() const { return form == Form::kBytes ? stride : 2 * stride; }
};

/// Where quantize_rows writes.
struct QuantizedRowsBuffer {
  uint8_t* values;
  float* scale;
  int32_t* zero;
};

/// The largest integer of a form: 127, or 8191, or less where sums of so many products of it with -128..127 would not
/// fit into 32 bits, in rows of more than 2048.
int largest_value(Form form, int width);

/// x [rows, width] of finite floats -> out. Per row, with lo = min(0, min x), hi = max(0, max x), most =
/// largest_value():
///   scale = (hi - lo) / most, zero = nearest(-lo / scale),
///   value = clamp(nearest(x * (most / (hi - lo))) + zero, 0, most);
/// a row whose hi - lo is below 1e-30 is all zeros, with scale 1. All in single precision, `nearest` rounds halves to
/// even: scripts/models/reference.py gives the same to the bit. Any width; no alignment.
QuantizedRows quantize_rows(const float* x, int rows, int width, QuantizedRowsBuffer out, Form form = Form::kBytes);

/// The definition of quantize_rows, one element at a time.
QuantizedRows quantize_rows_reference(const float* x, int rows, int width, QuantizedRowsBuffer out,
                                      Form form = Form::kBytes);

}  // namespace dragoman
