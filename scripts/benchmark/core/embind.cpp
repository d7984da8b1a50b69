// The benchmark of the core's parts as WebAssembly; page/parts_worker.js calls it. Answers are JSON.
#include <emscripten/bind.h>

#include "float_bench.h"
#include "growth.h"
#include "int8_bench.h"

namespace dragoman::bench {
namespace {

// Functions of modules compiled apart come as indices in the function table.
template <class Function>
Function function_at(size_t index) {
  return reinterpret_cast<Function>(index);
}

using Issue = int32_t (*)(int, int);
using Stream = int32_t (*)(const int8_t*, int);

struct Modules {
  size_t pairs, dot;                                   // of dragoman-relaxed.wasm
  size_t stream, issue_plain, issue_pairs, issue_dot;  // of kernel-ceilings.wasm
};

std::string kernels(const Modules& m) {
  const std::vector<Int8Path> paths = {
      {"plain", accumulate_int8_simd128, function_at<Issue>(m.issue_plain), 8},
      {"words", accumulate_int8_simd128, function_at<Issue>(m.issue_plain), 8, Form::kWords},
      {"pairs", function_at<AccumulateInt8>(m.pairs), function_at<Issue>(m.issue_pairs), 16},
      {"dot", function_at<AccumulateInt8>(m.dot), function_at<Issue>(m.issue_dot), 16}};
  return nlohmann::json{{"int8", int8_products(paths, function_at<Stream>(m.stream))}, {"float", float_kernels()}}
      .dump();
}

// kernel: what the products are computed by.
std::string growth_with(size_t kernel, const std::string& config_json, const std::string& model_file) {
  use_int8_kernel(function_at<AccumulateInt8>(kernel), Form::kWords);
  const auto* data = reinterpret_cast<const std::byte*>(model_file.data());
  return growth(config_json, {data, data + model_file.size()}).dump();
}

}  // namespace

EMSCRIPTEN_BINDINGS(core_bench) {
  emscripten::value_object<Modules>("Modules")
      .field("pairs", &Modules::pairs)
      .field("dot", &Modules::dot)
      .field("stream", &Modules::stream)
      .field("issuePlain", &Modules::issue_plain)
      .field("issuePairs", &Modules::issue_pairs)
      .field("issueDot", &Modules::issue_dot);
  emscripten::function("kernels", &kernels);
  emscripten::function("growth", &growth_with);
}

}  // namespace dragoman::bench
