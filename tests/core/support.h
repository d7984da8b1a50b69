#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "search/forced_first.h"
#include "search/repetition.h"

namespace dragoman::test {

/// Files of the repository; tests run natively and, through Node's file system, as WebAssembly.
std::string read_text(const std::string& path);
std::vector<std::byte> read_bytes(const std::string& path);
std::string data(const std::string& name);     // path below tests/data
std::string weights(const std::string& name);  // path below weights

/// JSON is read and written by support.cpp alone: compiled into every test it would take minutes of a build.
nlohmann::json json_of(std::string_view text);
nlohmann::json read_json(const std::string& path);
std::string text_of(const nlohmann::json& value);

/// A folder with config.json.
ModelFiles read_model(const std::string& folder);
Transformer load_transformer(const std::string& folder);
Engine load_engine(const std::string& folder, EngineOptions options = {});
/// Runs the engine until `translation` is done.
std::string finish(Engine& engine, Translation& translation);

/// Encodes a sentence, and what its decoder steps read of it.
KvCache cross_cache(const Transformer& model, const std::vector<int>& source, Workspace& work);

/// Searches for the translation of one sentence at the level of the model; `each` sees the logits [V] of the likeliest
/// hypothesis at every step, and its cross-attention [L * H, S]. work: for `width` hypotheses.
template <class Each>
Beam search(const Transformer& model, const std::vector<int>& source, int width, Workspace& work, Each each) {
  const KvCache cross = cross_cache(model, source, work);
  const int limit = target_limit(model.config(), cross.length());
  Matrix attention(model.config().decoder_layers * model.config().decoder_heads, cross.length());
  std::vector<DecoderState> self(width, DecoderState(model.config(), limit));
  LogitsRules rules;
  if (model.config().forced_first >= 0) rules.push_back(std::make_unique<ForcedFirst>(model.config().forced_first));
  rules.push_back(std::make_unique<RepetitionRule>(allowed_repetitions(source)));
  Beam beam(width, {.eos = model.config().eos, .limit = limit}, std::move(rules));
  while (!beam.finished()) {
    std::vector<DecoderRow> rows;
    for (const Hypothesis& live : beam.live())
      rows.push_back({live.tokens.empty() ? kStart : live.tokens.back(), &cross, &self[rows.size()]});
    rows.front().attention = attention.data();
    model.step(rows, work);
    each(work.logits.row(0), attention);
    beam.extend(work.logits.topRows(static_cast<Eigen::Index>(rows.size())), {});
    if (!beam.finished()) reorder(self, beam.parents());
  }
  return beam;
}

/// The same, greedily, for its tokens.
template <class Each>
std::vector<int> greedy(const Transformer& model, const std::vector<int>& source, Workspace& work, Each each) {
  return search(model, source, 1, work, each).best().tokens;
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

/// Logits [vocabulary] of what follows a prefix: any numbers, always the same ones.
Vector fake_logits(const std::vector<int>& prefix, int vocabulary);
/// The same of several, a row each.
Matrix fake_logits(std::span<const Hypothesis> live, int vocabulary);

/// What an Error(kInvalidArgument) says, or nothing if there is none.
template <class Refused>
std::string refusal(const Refused& refused) {
  try {
    refused();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInvalidArgument) throw;
    return e.what();
  }
  return "";
}

}  // namespace dragoman::test

template <>
struct Catch::StringMaker<nlohmann::json> {
  static std::string convert(const nlohmann::json& value) { return dragoman::test::text_of(value); }
};
