#pragma once

#include "base/matrix.h"

namespace dragoman {

/// Sinusoidal positions [count, D] as Marian and fairseq lay them out: D/2 sines, then D/2 cosines of
/// position * 10000^(-i / (D/2 - 1)).
Matrix sinusoidal_positions(int count, int width);

}  // namespace dragoman
