#include "support.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace dragoman::test {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  INFO("cannot read " << path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::byte> read_bytes(const std::string& path) {
  const std::string text = read_text(path);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::string data(const std::string& name) { return DRAGOMAN_SOURCE_DIR "/tests/data/" + name; }
std::string weights(const std::string& name) { return DRAGOMAN_SOURCE_DIR "/weights/" + name; }

nlohmann::json json_of(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json read_json(const std::string& path) { return json_of(read_text(path)); }
std::string text_of(const nlohmann::json& value) { return value.dump(); }

ModelFiles read_model(const std::string& folder) {
  const bool shared = !std::filesystem::exists(folder + "/target.spm");
  return {read_text(folder + "/config.json"), read_bytes(folder + "/model.safetensors"),
          read_text(folder + (shared ? "/vocab.spm" : "/source.spm")), shared ? "" : read_text(folder + "/target.spm")};
}

Transformer load_transformer(const std::string& folder) {
  return Transformer(read_text(folder + "/config.json"), read_bytes(folder + "/model.safetensors"));
}

KvCache cross_cache(const Transformer& model, const std::vector<int>& source, Workspace& work) {
  KvCache cross(model.config(), static_cast<int>(source.size()));
  model.fill_cross_cache(model.encode({&source, 1}, work).front(), work, cross);
  return cross;
}

Engine load_engine(const std::string& folder, EngineOptions options) { return Engine(read_model(folder), options); }

std::string finish(Engine& engine, Translation& translation) {
  std::string text;
  while (!translation.done()) {
    engine.step();
    text += translation.take_text();
  }
  return text + translation.take_text();
}

std::vector<float> Random::reals(size_t n, float least, float most) {
  std::vector<float> values(n);
  for (float& v : values) v = real(least, most);
  return values;
}

Vector fake_logits(const std::vector<int>& prefix, int vocabulary) {
  unsigned seed = 17;
  for (const int token : prefix) seed = seed * 31 + static_cast<unsigned>(token);
  Random random(seed);
  Vector logits(vocabulary);
  for (float& x : logits) x = random.real(-2, 2);
  return logits;
}

Matrix fake_logits(std::span<const Hypothesis> live, int vocabulary) {
  Matrix logits(live.size(), vocabulary);
  for (size_t i = 0; i < live.size(); ++i) logits.row(static_cast<int>(i)) = fake_logits(live[i].tokens, vocabulary);
  return logits;
}

}  // namespace dragoman::test
