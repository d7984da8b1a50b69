#include "engine/translation.h"

#include <algorithm>
#include <numeric>

#include "text/unicode.h"

namespace dragoman {
namespace {

bool has_letter(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (is_letter(next_code_point(text, at))) return true;
  return false;
}

}  // namespace

Translation::Translation(std::string_view text, std::string_view language, const TranslateOptions& options)
    : text_(sanitize_utf8(text)), options_(options) {
  if (options_.annotate && text != text_) as_it_came_ = text;
  for (const TextRange& range : split_sentences(text_, language)) sentences_.push_back({range});
  for (size_t i = 0; i < sentences_.size(); ++i) {
    if (!has_letter(source(i)) || source(i).size() > kMaxSentenceBytes) pass(i);
  }
}

std::string Translation::take_text() {
  std::string text;
  while (taken_sentence_ < sentences_.size()) {
    const Sentence& s = sentences_[taken_sentence_];
    if (s.target.empty() && !s.done) return text;
    if (taken_source_ < s.source.begin) text.append(text_, taken_source_, s.source.begin - taken_source_);
    taken_source_ = s.source.begin;
    text.append(s.target, taken_target_);
    taken_target_ = s.target.size();
    if (!s.done) return text;
    taken_source_ = s.source.end;
    taken_target_ = 0;
    ++taken_sentence_;
  }
  text.append(text_, taken_source_);
  taken_source_ = text_.size();
  return text;
}

int Translation::tokens() const {
  return std::accumulate(sentences_.begin(), sentences_.end(), 0,
                         [](int n, const Sentence& s) { return n + s.tokens; });
}

float Translation::log_probability() const {
  return std::accumulate(sentences_.begin(), sentences_.end(), 0.0f,
                         [](float sum, const Sentence& s) { return sum + s.log_probability; });
}

std::vector<std::string> Translation::alternatives() const {
  return sentences_.size() == 1 ? sentences_.front().alternatives : std::vector<std::string>();
}

AnnotatedText Translation::annotated_source() const {
  AnnotatedText annotated;
  annotated.text = text_;
  for (const Sentence& s : sentences_) annotated.add(s.source, s.source_pieces);
  if (as_it_came_.empty()) return annotated;
  annotated.text = as_it_came_;
  to_unsanitized(as_it_came_, annotated.sentences);
  to_unsanitized(as_it_came_, annotated.pieces);
  return annotated;
}

AnnotatedText Translation::annotated_target() const {
  AnnotatedText annotated;
  size_t end = 0;  // of the sentence before, in the source
  for (const Sentence& s : sentences_) {
    annotated.text.append(text_, end, s.source.begin - end);
    const size_t begin = annotated.text.size();
    annotated.text += s.target;
    annotated.add({begin, annotated.text.size()}, s.target_pieces);
    end = s.source.end;
  }
  annotated.text.append(text_, end);
  return annotated;
}

size_t Translation::next_sentence() {
  while (next_ < sentences_.size() && sentences_[next_].done) ++next_;
  return next_ == sentences_.size() ? next_ : next_++;
}

std::string_view Translation::source(size_t i) const {
  return std::string_view(text_).substr(sentences_[i].source.begin, sentences_[i].source.size());
}

bool Translation::halve(size_t i) {
  const TextRange whole = sentences_[i].source;
  const size_t most = std::max<size_t>(whole.size() / 2, 4);
  if (whole.size() <= most) return false;
  const size_t cut = cut_point(text_, whole, most);
  sentences_[i].source = trim(text_, {whole.begin, cut});
  sentences_.insert(sentences_.begin() + static_cast<std::ptrdiff_t>(i) + 1, Sentence{trim(text_, {cut, whole.end})});
  return true;
}

void Translation::pass(size_t i) {
  sentences_[i].target = source(i);
  sentences_[i].source_pieces.clear();
  finish(i);
}

void Translation::finish(size_t i) {
  sentences_[i].done = true;
  ++sentences_done_;
}

}  // namespace dragoman
