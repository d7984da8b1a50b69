#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <istream>
#include <iterator>
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

// Enough for the likeliest words to be found, however many are wanted.
constexpr int kNextWordsBeam = 8;

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

Json json_of(const ScoredParts& parts) {
  Json list = Json::array();
  for (size_t i = 0; i < parts.target.size(); ++i)
    list.push_back({parts.target[i].begin, parts.target[i].end, parts.log_probabilities[i]});
  return list;
}

Json json_of(const Scores& scores) {
  return {
      {"sentences", json_of(scores.sentences)}, {"words", json_of(scores.words)}, {"pieces", json_of(scores.pieces)}};
}

Json json_of(const std::vector<NextWord>& words) {
  Json list = Json::array();
  for (const auto& [text, probability] : words) list.push_back({{"text", text}, {"probability", probability}});
  return list;
}

void print(const Line& line, const TranslateOptions& options, std::ostream& out) {
  const std::string target = line.translation->take_text();
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - line.start;
  Json object{{"source", sanitize_utf8(line.source)},
              {"translation", target},
              {"sentences", line.translation->sentences()},
              {"tokens", line.translation->tokens()},
              {"log_probability", line.translation->log_probability()},
              {"alternatives", line.translation->alternatives()},
              {"milliseconds", elapsed.count()},
              {"alignment", json_of(line.translation->alignment())},
              {"scores", json_of(line.translation->scores())}};
  if (options.next_words > 0) object["next_words"] = json_of(line.translation->next_words());
  out << object.dump() << '\n';
}

// Starts each line of `in` and prints it when it is done, in order.
template <class Start, class Print>
void for_lines(Engine& engine, std::istream& in, std::ostream& out, Start start, Print print) {
  std::deque<Line> lines;
  std::string source;
  bool more = true;
  while (more || !lines.empty()) {
    while (more && lines.size() < kLinesInFlight) {
      more = static_cast<bool>(std::getline(in, source));
      if (more) lines.push_back(start(source));
    }
    engine.step();
    while (!lines.empty() && lines.front().translation->done()) {
      print(lines.front());
      lines.pop_front();
      out.flush();
      require(static_cast<bool>(out), ErrorCode::kIo, "cannot write the translation");
    }
  }
}

}  // namespace

void translate_lines(const TranslateArguments& arguments, std::istream& in, std::ostream& out) {
  Engine engine(read_model_folder(arguments.model), arguments.engine);
  TranslateOptions options = arguments.options;
  options.beam = std::max({options.beam, options.next_words, options.next_words > 0 ? kNextWordsBeam : 1});
  options.alignment = options.scores = arguments.json;
  if (!arguments.glossary.empty()) {
    std::ifstream file(arguments.glossary, std::ios::binary);
    options.glossary.assign(std::istreambuf_iterator<char>(file), {});
    require(file.good() && !file.bad(), ErrorCode::kIo, "cannot read ", arguments.glossary);
  }
  const auto start = [&](const std::string& source) {
    return Line{source, engine.start(source, options), Clock::now()};
  };
  for_lines(engine, in, out, start, [&](const Line& line) {
    if (arguments.json)
      print(line, options, out);
    else
      out << line.translation->take_text() << '\n';
  });
}

void score_lines(const TranslateArguments& arguments, std::istream& in, std::ostream& out) {
  Engine engine(read_model_folder(arguments.model), arguments.engine);
  TranslateOptions options = arguments.options;
  options.whole = options.scores = true;
  options.alignment = arguments.json;
  const auto start = [&](const std::string& line) {
    const size_t tab = line.find('\t');
    require(tab != line.npos, ErrorCode::kInvalidArgument, "no tab between a sentence and its translation: ", line);
    const std::string source = line.substr(0, tab);
    options.prefix = line.substr(tab + 1);
    return Line{source, engine.start(source, options), Clock::now()};
  };
  for_lines(engine, in, out, start, [&](const Line& line) {
    if (arguments.json)
      print(line, options, out);
    else
      out << Json(line.translation->log_probability()).dump() << '\n';
  });
}

}  // namespace dragoman
