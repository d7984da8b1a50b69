#include "engine/forced_text.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "model/positions.h"
#include "text/capitals.h"
#include "text/sentence_splitter.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr size_t kMostBytes = 1 << 13;

// Lists for Prefix::beyond of a text whose tokens write `written`, each its range of it.
std::vector<std::vector<int>> beyond(const Tokenizer& tokenizer, std::span<const int> tokens,
                                     const std::string& written, std::span<const TextRange> ranges) {
  std::vector<std::vector<int>> lists(tokens.size() + 1);
  // A blank is written with what follows it, the first of a text is not.
  const size_t last_blank = written.rfind(' '), last_word = last_blank == written.npos ? 0 : last_blank;
  std::vector<std::pair<size_t, std::string>> rests;  // of which token's place: what is left there
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool ordinary =
        !tokenizer.text_of(tokens[i]).empty() && (i == 0 || !tokenizer.text_of(tokens[i - 1]).empty());
    if (ordinary && ranges[i].begin >= last_word)
      rests.push_back({i, (i == 0 ? " " : "") + written.substr(ranges[i].begin)});
  }
  if (written.ends_with(' ')) rests.push_back({tokens.size(), " "});
  for (int token = 0; token < tokenizer.size(); ++token) {
    const std::string text = tokenizer.text_of(token);
    for (const auto& [i, rest] : rests)
      if (text.starts_with(rest)) lists[i].push_back(token);
  }
  return lists;
}

}  // namespace

ForcedText::ForcedText(const Tokenizer& tokenizer, const Config& config, std::string_view text, bool whole,
                       bool in_capitals) {
  require(text.size() <= kMostBytes, ErrorCode::kInvalidArgument, "the beginning of the translation has ", text.size(),
          " bytes; ", kMostBytes, " are the most");
  text_ = sanitize_utf8(text);
  const TextRange visible = trim(text_, {0, text_.size()});
  auto prefix = std::make_shared<Prefix>();
  const std::string seen = text_.substr(visible.begin, visible.size());
  prefix->tokens = tokenizer.encode(in_capitals ? lower_capitals(seen) : seen, &ranges_);
  const size_t most = static_cast<size_t>(std::min(config.target_positions, kMaxPositions)) / 2;  // others follow
  require(prefix->tokens.size() <= most, ErrorCode::kInvalidArgument, "the beginning of the translation has ",
          prefix->tokens.size(), " pieces; ", most, " are the most");
  const bool word_follows = !whole && !prefix->tokens.empty() && visible.end < text_.size();
  text_ = word_follows ? text_.substr(visible.begin) : seen;
  const bool forced_first = config.forced_first >= 0;
  Detokenizer detokenizer(tokenizer, true);
  if (forced_first) detokenizer.append(config.forced_first);
  for (const int token : prefix->tokens) detokenizer.append(token);
  std::string written = detokenizer.text();
  if (word_follows) written += ' ';
  written_ = written.size();
  if (whole) {
    prefix->tokens.push_back(tokenizer.eos());
    prefix->beyond.resize(prefix->tokens.size() + 1);
  } else {
    prefix->beyond = beyond(tokenizer, prefix->tokens, written, std::span(detokenizer.ranges()).subspan(forced_first));
  }
  if (forced_first) {
    prefix->tokens.insert(prefix->tokens.begin(), config.forced_first);
    prefix->beyond.insert(prefix->beyond.begin(), std::vector<int>());
    ranges_.insert(ranges_.begin(), TextRange{0, 0});
  }
  prefix_ = std::move(prefix);
}

std::string_view ForcedText::rest_of(std::string_view written) const {
  return written.substr(std::min(written_, written.size()));
}

std::vector<TextRange> ForcedText::ranges(std::span<const int> tokens, std::span<const TextRange> written) const {
  std::vector<TextRange> shown;
  bool forced = true;
  for (size_t i = 0, end = 0; i < written.size(); ++i) {
    forced = forced && i < ranges_.size() && tokens[i] == prefix_->tokens[i];
    const size_t begin = std::exchange(end, forced ? ranges_[i].end : written[i].end - written_ + text_.size());
    shown.push_back({begin, end});
  }
  return shown;
}

std::vector<TokenKind> token_kinds(const Tokenizer& tokenizer) {
  const auto in_word = [](char32_t c) {
    return is_letter(c) || (U'0' <= c && c <= U'9') || c == U'-' || c == U'\'' || c == 0x2019;
  };
  std::vector<TokenKind> kinds;
  for (int token = 0; token < tokenizer.size(); ++token) {
    const std::string text = tokenizer.text_of(token);
    const bool is_byte = text.empty() && token != tokenizer.eos() && token != tokenizer.unknown();
    TokenKind kind = {is_byte, is_byte, !text.empty()};
    for (size_t at = 0; at < text.size();) {
      const bool first = at == 0;
      const char32_t c = next_code_point(text, at);
      kind.open = in_word(c);
      if (first) kind.continues = kind.open;
      kind.blank = kind.blank && c == U' ';
    }
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace dragoman
