#include <chrono>
#include <deque>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

using Clock = std::chrono::steady_clock;

// Lines on their way at once: enough to keep the decoder's rows full past short and empty ones.
constexpr size_t kLinesInFlight = 64;

struct Line {
  std::string source;
  std::shared_ptr<Translation> translation;
  Clock::time_point start;
};

using Json = nlohmann::ordered_json;

Json json_of(std::span<const TextRange> ranges) {
  Json list = Json::array();
  for (const auto& [begin, end] : ranges) list.push_back({begin, end});
  return list;
}

Json json_of(const LinkedParts& parts) {
  Json links = Json::array();
  for (const auto& [source, target, weight] : parts.links) links.push_back({source, target, weight});
  return {{"source", json_of(parts.source)}, {"target", json_of(parts.target)}, {"links", links}};
}

Json json_of(const Alignment& alignment) {
  return {{"sentences", json_of(alignment.sentences)},
          {"words", json_of(alignment.words)},
          {"pieces", json_of(alignment.pieces)}};
}

void print(const Line& line, bool json, std::ostream& out) {
  const std::string target = line.translation->take_text();
  if (!json) {
    out << target << '\n';
    return;
  }
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - line.start;
  out << Json{{"source", sanitize_utf8(line.source)},
              {"translation", target},
              {"sentences", line.translation->sentences()},
              {"tokens", line.translation->tokens()},
              {"log_probability", line.translation->log_probability()},
              {"alternatives", line.translation->alternatives()},
              {"milliseconds", elapsed.count()},
              {"alignment", json_of(line.translation->alignment())}}
             .dump()
      << '\n';
}

}  // namespace

void translate_lines(const TranslateArguments& arguments, std::istream& in, std::ostream& out) {
  Engine engine(read_model_folder(arguments.model), arguments.engine);
  TranslateOptions options = arguments.options;
  options.score = options.alignment = arguments.json;
  std::deque<Line> lines;
  std::string source;
  bool more = true;
  while (more || !lines.empty()) {
    while (more && lines.size() < kLinesInFlight) {
      more = static_cast<bool>(std::getline(in, source));
      if (more) lines.push_back({source, engine.start(source, options), Clock::now()});
    }
    engine.step();
    while (!lines.empty() && lines.front().translation->done()) {
      print(lines.front(), arguments.json, out);
      lines.pop_front();
      out.flush();
      require(static_cast<bool>(out), ErrorCode::kIo, "cannot write the translation");
    }
  }
}

}  // namespace dragoman
