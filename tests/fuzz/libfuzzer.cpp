// The entry of one fuzzer; CMakeLists.txt says of which target.
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dragoman::fuzz::TARGET({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
