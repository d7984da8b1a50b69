#pragma once

#include <nlohmann/json.hpp>

namespace dragoman::bench {

/// Checks attention, softmax, layer norm, quantisation and argmax against their references, then times them.
/// [{kernel, size, nanoseconds, gigabytesPerSecond}] of one call; bytes are those read and written, each counted once.
/// Throws Error when a result is wrong.
nlohmann::json float_kernels();

}  // namespace dragoman::bench
