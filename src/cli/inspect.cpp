#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

// Numbers are floats, and printed with as many digits as those need.
using FloatJson =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

// Lists of lists [..., size of the last dimension].
FloatJson nested(std::span<const float> values, std::span<const size_t> shape) {
  FloatJson list = FloatJson::array();
  if (shape.size() == 1) {
    for (const float value : values) list.push_back(value);
    return list;
  }
  size_t each = 1;
  for (const size_t size : shape.subspan(1)) each *= size;
  for (; !values.empty(); values = values.subspan(each)) list.push_back(nested(values.first(each), shape.subspan(1)));
  return list;
}

FloatJson json_of(const std::vector<float>& values, std::initializer_list<size_t> shape) {
  return nested(values, {shape.begin(), shape.size()});
}

FloatJson json_of(const InspectedSide& side, int layers, int heads, int width) {
  const size_t tokens = side.tokens.size(), states = side.hidden.size() / tokens / width;
  FloatJson object{{"tokens", side.tokens},
                   {"pieces", side.pieces},
                   {"hidden", json_of(side.hidden, {states, tokens, size_t(width)})}};
  if (!side.self_attention.empty())
    object["self_attention"] = json_of(side.self_attention, {size_t(layers), size_t(heads), tokens, tokens});
  return object;
}

FloatJson json_of(const Inspection& found, const Config& c) {
  const size_t columns = found.source.tokens.size(), rows = found.target.tokens.size();
  FloatJson target = json_of(found.target, c.decoder_layers, c.decoder_heads, c.width);
  target["cross_attention"] =
      json_of(found.cross_attention, {size_t(c.decoder_layers), size_t(c.decoder_heads), rows, columns});
  target["log_probabilities"] = found.log_probabilities;
  return {{"encoder", json_of(found.source, c.encoder_layers, c.encoder_heads, c.encoder_width)}, {"decoder", target}};
}

// true: hidden, as torch's masks have it. [sentences, longest]
FloatJson padding_mask(const std::vector<size_t>& lengths) {
  const size_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  FloatJson mask = FloatJson::array();
  for (const size_t length : lengths) {
    FloatJson row = FloatJson::array();
    for (size_t i = 0; i < longest; ++i) row.push_back(i >= length);
    mask.push_back(std::move(row));
  }
  return mask;
}

// [longest, longest]: a row's own position and those before it are seen.
FloatJson causal_mask(const std::vector<size_t>& lengths) {
  std::vector<size_t> seen;
  for (size_t i = 1; !lengths.empty() && i <= *std::max_element(lengths.begin(), lengths.end()); ++i) seen.push_back(i);
  return padding_mask(seen);
}

}  // namespace

void inspect_lines(const std::string& folder, std::istream& in, std::ostream& out) {
  const Engine engine(read_model_folder(folder));
  FloatJson sentences = FloatJson::array();
  std::vector<size_t> sources, targets;
  for (std::string line; std::getline(in, line);) {
    const size_t tab = std::min(line.find('\t'), line.size());
    const std::string_view text = std::string_view(line).substr(0, tab);
    const auto translation = tab < line.size() ? std::optional(std::string_view(line).substr(tab + 1)) : std::nullopt;
    const Inspection found = engine.inspect(text, translation);
    sources.push_back(found.source.tokens.size());
    targets.push_back(found.target.tokens.size());
    FloatJson object{{"source", sanitize_utf8(text)}};
    object.update(json_of(found, engine.config()));
    sentences.push_back(std::move(object));
  }
  const FloatJson masks{{"source_padding", padding_mask(sources)},
                        {"target_padding", padding_mask(targets)},
                        {"causal", causal_mask(targets)}};
  out << FloatJson{{"sentences", sentences}, {"masks", masks}}.dump() << '\n';
  require(static_cast<bool>(out), ErrorCode::kIo, "cannot write what was found");
}

}  // namespace dragoman
