// The benchmark of the core's parts, natively. Prints JSON.
//   core_bench kernels
//   core_bench growth CONFIG.json MODEL.safetensors
//   core_bench translate CONFIG.json MODEL.safetensors VOCAB.spm < lines
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

#include "ceilings.h"
#include "engine/engine.h"
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
                                              {"words", accumulate_int8_simd128, bench::issue_plain, 8, Form::kWords},
                                              {"pairs", accumulate_int8_pairs, bench::issue_pairs, 16},
                                              {"dot", accumulate_int8_dot, bench::issue_dot, 16}};
  return {{"int8", bench::int8_products(paths, bench::stream)}, {"float", bench::float_kernels()}};
}

std::vector<std::byte> read_bytes(const char* path) {
  const std::string text = read_file(path);
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

struct Output {
  std::string text;
  int tokens;
};

Output run(Engine& engine, const std::string& text) {
  const auto translation = engine.start(text);
  while (!translation->done()) engine.step();
  return {translation->take_text(), translation->tokens()};
}

// What scripts/benchmark/core_run.mjs measures of the module: line after line, and all of them as one text.
nlohmann::json translate(const char* config, const char* model, const char* vocabulary) {
  using Clock = std::chrono::steady_clock;
  const auto rate = [](int tokens, Clock::time_point start) {
    return tokens / std::chrono::duration<double>(Clock::now() - start).count();
  };
  Engine engine({read_file(config), read_bytes(model), read_file(vocabulary)});
  std::vector<std::string> lines, translations;
  std::string all;
  for (std::string line; std::getline(std::cin, line);) {
    all += (lines.empty() ? "" : "\n") + line;
    lines.push_back(line);
    translations.push_back(run(engine, line).text);
  }
  int tokens = 0;
  auto start = Clock::now();
  for (const std::string& line : lines) tokens += run(engine, line).tokens;
  const double alone = rate(tokens, start);
  start = Clock::now();
  const double together = rate(run(engine, all).tokens, start);
  return {{"translations", translations},
          {"figures", {{"tokensPerSecond", alone}, {"tokensPerSecondAtOnce", together}}}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  try {
    if (task == "kernels" && argc == 2) {
      std::cout << kernels() << '\n';
    } else if (task == "growth" && argc == 4) {
      std::cout << bench::growth(read_file(argv[2]), read_bytes(argv[3])) << '\n';
    } else if (task == "translate" && argc == 5) {
      std::cout << translate(argv[2], argv[3], argv[4]) << '\n';
    } else {
      std::cerr << "usage: core_bench kernels | growth CONFIG MODEL | translate CONFIG MODEL VOCABULARY\n";
      return 2;
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "core_bench: " << e.what() << '\n';
    return 1;
  }
}
