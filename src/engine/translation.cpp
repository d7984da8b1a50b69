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
    : text_(sanitize_utf8(text)), options_(options), glossary_(options.glossary) {
  options_.glossary.clear();
  options_.alignment |= options_.attention;
  options_.annotate |= options_.alignment || options_.scores;
  if (options_.annotate && text != text_) as_it_came_ = text;
  for (const TextRange& range : split_sentences(text_, language)) sentences_.push_back({range});
  for (size_t i = 0; i < sentences_.size() && !options_.is_forced(); ++i) {
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

double Translation::log_probability() const {
  double sum = 0;
  for (const Sentence& s : sentences_)
    sum = std::accumulate(s.log_probabilities.begin(), s.log_probabilities.end(), sum);
  return sum;
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

Alignment Translation::alignment() const {
  Alignment found;
  if (!options_.alignment) return found;
  AnnotatedText source;
  source.text = text_;
  for (const Sentence& s : sentences_) source.add(s.source, s.source_pieces);
  const AnnotatedText target = annotated_target();
  for (size_t i = 0; i < sentences_.size(); ++i) {
    const auto source_words = words(text_, source.sentences[i]), target_words = words(target.text, target.sentences[i]);
    const auto source_pieces = source.pieces_of(i), target_pieces = target.pieces_of(i);
    const Sentence& sentence = sentences_[i];
    const bool passed = sentence.done && source_pieces.empty(), begun = sentence.attention.size() > 0;
    const auto columns = static_cast<Eigen::Index>(source_pieces.size());
    const Matrix attention = begun ? sentence.attention : Matrix::Zero(0, columns + 1);
    found.sentences.add({&source.sentences[i], 1}, {&target.sentences[i], 1}, Matrix::Ones(1, 1));
    found.pieces.add(source_pieces, target_pieces, attention.leftCols(columns));
    found.words.add(source_words, target_words,
                    passed ? Matrix::Identity(static_cast<Eigen::Index>(target_words.size()),
                                              static_cast<Eigen::Index>(source_words.size()))
                           : attention_of_words(attention, source_pieces, target_pieces, source_words, target_words));
  }
  for (LinkedParts* parts : {&found.sentences, &found.words, &found.pieces}) {
    to_utf16(text_, parts->source);
    to_utf16(target.text, parts->target);
  }
  return found;
}

Scores Translation::scores() const {
  Scores found;
  if (!options_.scores) return found;
  const AnnotatedText target = annotated_target();
  for (size_t i = 0; i < sentences_.size(); ++i)
    found.add(target.text, target.sentences[i], target.pieces_of(i), sentences_[i].log_probabilities);
  for (ScoredParts* parts : {&found.sentences, &found.words, &found.pieces}) to_utf16(target.text, parts->target);
  return found;
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
