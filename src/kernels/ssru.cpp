#include "kernels/ssru.h"

#include <algorithm>
#include <cmath>

#include "kernels/sigmoid.h"

namespace dragoman {
namespace {

// As c + f (cell - c): one product fewer.
v128_t next_cell(v128_t forget, v128_t candidate, v128_t cell) {
  return wasm_f32x4_add(candidate, wasm_f32x4_mul(sigmoid4(forget), wasm_f32x4_sub(cell, candidate)));
}

}  // namespace

void ssru_step(const float* forget, const float* candidate, float* cell, float* out, int width) {
  const v128_t zero = wasm_f32x4_splat(0);
  int k = 0;
  for (; k + 4 <= width; k += 4) {
    const v128_t next = next_cell(wasm_v128_load(forget + k), wasm_v128_load(candidate + k), wasm_v128_load(cell + k));
    wasm_v128_store(cell + k, next);
    wasm_v128_store(out + k, wasm_f32x4_pmax(zero, next));
  }
  if (k == width) return;
  float rest[3][4] = {};
  std::copy(forget + k, forget + width, rest[0]);
  std::copy(candidate + k, candidate + width, rest[1]);
  std::copy(cell + k, cell + width, rest[2]);
  const v128_t next = next_cell(wasm_v128_load(rest[0]), wasm_v128_load(rest[1]), wasm_v128_load(rest[2]));
  wasm_v128_store(rest[2], next);
  wasm_v128_store(rest[0], wasm_f32x4_pmax(zero, next));
  std::copy(rest[2], rest[2] + (width - k), cell + k);
  std::copy(rest[0], rest[0] + (width - k), out + k);
}

void ssru_step_reference(const float* forget, const float* candidate, float* cell, float* out, int width) {
  for (int k = 0; k < width; ++k) {
    const double f = 1 / (1 + std::exp(-static_cast<double>(forget[k])));
    cell[k] = static_cast<float>(f * cell[k] + (1 - f) * candidate[k]);
    out[k] = std::max(cell[k], 0.0f);
  }
}

}  // namespace dragoman
