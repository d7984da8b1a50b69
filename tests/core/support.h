#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace dragoman::test {

/// Files of the repository; tests run natively and, through Node's file system, as WebAssembly.
std::string read_text(const std::string& path);
std::vector<std::byte> read_bytes(const std::string& path);
std::string data(const std::string& name);     // path below tests/data
std::string weights(const std::string& name);  // path below weights

Transformer load_transformer(const std::string& folder);
Engine load_engine(const std::string& folder, EngineOptions options = {});
/// Runs the engine until `translation` is done.
std::string finish(Engine& engine, Translation& translation);

/// Greedy translation of one sentence at the level of the model; `each` sees the logits of every step.
template <class Each>
std::vector<int> greedy(const Transformer& model, const std::vector<int>& source, Workspace& work, Each each) {
  RowRange range;
  model.encode({&source, 1}, {&range, 1}, work);
  KvCache cross(model.config(), range.length);
  model.fill_cross_cache(range, work, cross);
  const int limit = target_limit(range.length);
  KvCache self(model.config(), limit);
  Hypothesis hypothesis;
  while (!hypothesis.finished) {
    const DecoderRow row{hypothesis.tokens.empty() ? kStart : hypothesis.tokens.back(), &cross, &self};
    model.step({&row, 1}, work);
    each(work.logits.row(0));
    const std::span logits(work.logits.data(), static_cast<size_t>(model.config().vocabulary));
    extend_greedily(hypothesis, logits, {}, {model.config().eos, limit});
  }
  return hypothesis.tokens;
}

/// Numbers for kernels: the same on every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int integer(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<unsigned>(most - least + 1));
  }
  float real(float least, float most) {
    return least + (most - least) * static_cast<float>(engine_() % 65536) / 65535.0f;
  }
  std::vector<float> reals(size_t n, float least, float most);

 private:
  std::mt19937 engine_;
};

}  // namespace dragoman::test
