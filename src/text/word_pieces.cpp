#include "text/word_pieces.h"

#include <charconv>

#include "base/error.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr std::string_view kHead = "dragoman word pieces 1\n";
constexpr std::string_view kContinues = "@@", kEndOfWord = "</w>";
constexpr int kMostPieces = 1 << 20;

// The lines of a file, each taken once.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::string_view next() {
    const size_t end = rest_.find('\n');
    require(end != rest_.npos, ErrorCode::kBadVocabulary, "vocabulary of word pieces ends too soon");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  // What stands behind a word that a line must begin with.
  std::string_view value(std::string_view key) {
    const std::string_view line = next();
    require(line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ', ErrorCode::kBadVocabulary,
            "vocabulary of word pieces lacks '", key, "'");
    return line.substr(key.size() + 1);
  }

  int number(std::string_view key) {
    const std::string_view text = value(key);
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    require(error == std::errc() && end == text.data() + text.size() && 0 <= number && number <= kMostPieces,
            ErrorCode::kBadVocabulary, "vocabulary of word pieces: ", key, " is no number within 0..", kMostPieces);
    return number;
  }

  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

size_t characters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

}  // namespace

bool WordPieces::is_one(std::string_view file) { return file.starts_with(kHead); }

WordPieces::WordPieces(std::string_view file) {
  require(sanitize_utf8(file) == file, ErrorCode::kBadVocabulary, "vocabulary of word pieces is not valid UTF-8");
  Lines lines(file.substr(kHead.size()));
  language_ = lines.value("language");
  escaped_ = lines.number("escaped") != 0;
  eos_ = lines.number("eos");
  unknown_ = lines.number("unknown");
  // A line a piece; that of a silent one begins with a blank.
  const int count = lines.number("pieces");
  require(eos_ < count && unknown_ < count, ErrorCode::kBadVocabulary,
          "vocabulary of word pieces has no piece for the end of a sentence, or for what is unknown");
  for (int i = 0; i < count; ++i) {
    std::string_view line = lines.next();
    is_silent_.push_back(line.starts_with(' '));
    if (is_silent_.back()) line.remove_prefix(1);
    pieces_.emplace_back(line);
    if (!is_silent_.back()) ids_.emplace(line, i);
  }
  for (int i = lines.number("merges"), rank = 0; rank < i; ++rank) ranks_.emplace(lines.next(), rank);
  for (int i = lines.number("nonbreaking"); i > 0; --i) {
    const std::string_view line = lines.next();
    const size_t blank = std::min(line.find(' '), line.size());
    prefixes_.emplace(line.substr(0, blank), blank == line.size() ? Nonbreaking::kAlways : Nonbreaking::kBeforeNumber);
  }
  require(lines.empty(), ErrorCode::kBadVocabulary, "vocabulary of word pieces goes on behind its end");
}

// By the merge of the lowest rank first, everywhere in the word, until there is none.
std::vector<std::string> WordPieces::split(std::string_view word) const {
  std::vector<std::string> parts;
  for (size_t at = 0; at < word.size();) {
    const size_t begin = at;
    next_code_point(word, at);
    parts.emplace_back(word.substr(begin, at - begin));
  }
  parts.back() += kEndOfWord;
  while (parts.size() > 1) {
    auto best = ranks_.end();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks_.find(parts[i] + ' ' + parts[i + 1]);
      if (found != ranks_.end() && (best == ranks_.end() || found->second < best->second)) best = found;
    }
    if (best == ranks_.end()) break;
    std::vector<std::string> merged;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool fits = i + 1 < parts.size() && best->first == parts[i] + ' ' + parts[i + 1];
      merged.push_back(fits ? parts[i] + parts[i + 1] : parts[i]);
      i += fits;
    }
    parts = std::move(merged);
  }
  parts.back().resize(parts.back().size() - kEndOfWord.size());
  return parts;
}

std::vector<int> WordPieces::encode(std::string_view text, std::vector<TextRange>* ranges) const {
  std::vector<int> ids;
  if (ranges) ranges->clear();
  size_t begin = 0;
  for (const MosesWord& word : split_moses(text, language_, prefixes_, escaped_)) {
    std::string letters;
    for (const MosesLetter& letter : word) append_utf8(letter.c, letters);
    const std::vector<std::string> parts = split(letters);
    for (size_t i = 0, letter = 0; i < parts.size(); ++i) {
      const auto found = ids_.find(i + 1 < parts.size() ? parts[i] + std::string(kContinues) : parts[i]);
      ids.push_back(found == ids_.end() ? unknown_ : found->second);
      letter += characters(parts[i]);
      const size_t end = word[letter - 1].end;
      if (ranges) ranges->push_back({begin, end});
      begin = end;
    }
  }
  if (ranges && !ranges->empty()) ranges->back().end = text.size();
  return ids;
}

std::string WordJoiner::next(int id) {
  if (id == vocabulary_->unknown()) return finish() + moses_.next("\xE2\x81\x87");  // as SentencePiece shows it
  if (vocabulary_->is_silent(id)) return {};
  std::string_view piece = vocabulary_->piece(id);
  const bool continues = piece.ends_with(kContinues);
  if (continues) piece.remove_suffix(kContinues.size());
  word_ += piece;
  return continues ? std::string() : finish();
}

std::string WordJoiner::finish() {
  if (word_.empty()) return {};
  const std::string word = std::move(word_);
  word_.clear();
  return moses_.next(word);
}

}  // namespace dragoman
