// The benchmark of the core's parts, natively. Prints JSON.
//   core_bench kernels
//   core_bench growth CONFIG.json MODEL.safetensors
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "ceilings.h"
#include "float_bench.h"
#include "growth.h"
#include "int8_bench.h"

using namespace dragoman;

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json kernels() {
  const std::vector<bench::Int8Path> paths = {{"plain", accumulate_int8_simd128, bench::issue_plain, 8},
                                              {"pairs", accumulate_int8_pairs, bench::issue_pairs, 16},
                                              {"dot", accumulate_int8_dot, bench::issue_dot, 16}};
  return {{"int8", bench::int8_products(paths, bench::stream)}, {"float", bench::float_kernels()}};
}

nlohmann::json growth(const char* config, const char* model) {
  const std::string bytes = read_file(model);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return bench::growth(read_file(config), {data, data + bytes.size()});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  try {
    if (task == "kernels" && argc == 2) {
      std::cout << kernels() << '\n';
    } else if (task == "growth" && argc == 4) {
      std::cout << growth(argv[2], argv[3]) << '\n';
    } else {
      std::cerr << "usage: core_bench kernels | growth CONFIG MODEL\n";
      return 2;
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "core_bench: " << e.what() << '\n';
    return 1;
  }
}
