#pragma once

namespace dragoman {

/// One step of a simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back"), channel by
/// channel:
///   f = 1 / (1 + exp(-forget)), cell = f * cell + (1 - f) * candidate, out = max(cell, 0).
/// forget, candidate, cell, out [width]; cell in place, out may be one of the inputs; any width; no alignment.
void ssru_step(const float* forget, const float* candidate, float* cell, float* out, int width);
void ssru_step_reference(const float* forget, const float* candidate, float* cell, float* out, int width);

}  // namespace dragoman
