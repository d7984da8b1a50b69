#include "search/beam.h"

#include <algorithm>
#include <cmath>

#include "kernels/argmax.h"
#include "kernels/softmax.h"

namespace dragoman {
namespace {

template <class T>
bool is_likelier(const T& a, const T& b) {
  return a.log_probability > b.log_probability;
}

// Puts x into a sorted list, behind its equals.
template <class T, class Before>
void insert(std::vector<T>& sorted, T x, Before before) {
  const auto at = std::upper_bound(sorted.begin(), sorted.end(), x, before);
  sorted.insert(at, std::move(x));
}

}  // namespace

Beam::Beam(int width, SearchOptions options, LogitsRules rules, std::shared_ptr<const Phrases> phrases)
    : width_(width), options_(options), rules_(std::move(rules)), phrases_(std::move(phrases)) {
  if (width_ == 1) live_.front().tokens.reserve(options_.limit);
}

void Beam::extend(MatrixBlock logits, std::span<const int> tokens) {
  candidates_.clear();
  for (int i = 0; i < static_cast<int>(live_.size()); ++i) {
    const NextTokens next = {{logits.row(i).data(), static_cast<size_t>(logits.cols())}, tokens};
    const bool scored = width_ > 1 || options_.score;
    float normaliser = scored ? log_sum_exp(next.logits.data(), static_cast<int>(logits.cols())) : 0;
    for (const auto& rule : rules_) rule->apply(live_[i], next);
    if (options_.by_probability) normaliser = log_sum_exp(next.logits.data(), static_cast<int>(logits.cols()));
    if (width_ == 1) return take_likeliest(next, normaliser);
    collect(i, next, normaliser);
  }
  if (candidates_.empty()) {
    finished_ = true;
  } else {
    if (phrases_) allocate();
    advance();
    finished_ = live_.empty() || static_cast<int>(live_.front().tokens.size()) >= options_.limit || cannot_improve();
  }
  if (finished_ && phrases_)  // cut off: the closest to what was asked for
    std::stable_sort(live_.begin(), live_.end(), [&](const Hypothesis& a, const Hypothesis& b) {
      return phrases_->tokens_met(a.progress) > phrases_->tokens_met(b.progress);
    });
  settle();
}

// Greedy search's step.
void Beam::take_likeliest(const NextTokens& next, float normaliser) {
  Hypothesis& hypothesis = live_.front();
  const int best = argmax(next.logits.data(), static_cast<int>(next.logits.size())), token = next.token(best);
  const bool forbidden = next.logits[best] == kForbidden, ends = forbidden || token == options_.eos;
  if (options_.score && !forbidden) {
    hypothesis.log_probabilities.push_back(next.logits[best] - normaliser);
    hypothesis.log_probability += hypothesis.log_probabilities.back();
  }
  if (!ends) hypothesis.tokens.push_back(token);
  hypothesis.ended = ends && !forbidden;
  settled_ = static_cast<int>(hypothesis.tokens.size());
  finished_ = ends || settled_ >= options_.limit;
}

// The likeliest extensions of a live hypothesis: twice the width, so that enough of them are left beside eos.
void Beam::collect(int parent, const NextTokens& next, float normaliser) {
  const Hypothesis& hypothesis = live_[parent];
  const auto add = [&](size_t i) {
    const float of_token = next.logits[i] - normaliser, log_probability = hypothesis.log_probability + of_token;
    insert(candidates_, {parent, next.token(i), log_probability, of_token, hypothesis.progress},
           is_likelier<Candidate>);
  };
  const std::vector<int> best = largest(next.logits.data(), static_cast<int>(next.logits.size()), 2 * width_);
  for (const int i : best)
    if (next.logits[i] != kForbidden) add(i);
  if (!phrases_) return;
  std::vector<size_t> others;
  phrases_->for_next(hypothesis.progress, [&](int token) {
    const size_t i = next.find(token);
    if (i == next.logits.size() || next.logits[i] == kForbidden || std::count(best.begin(), best.end(), i) > 0) return;
    if (std::count(others.begin(), others.end(), i) == 0) add(others.emplace_back(i));
  });
}

// Of the candidates, leaves those that live on or end, likeliest first: in rounds over the numbers of tokens met, the
// highest first, the likeliest of each that is left.
void Beam::allocate() {
  struct Place {
    size_t round;
    int met;
    Candidate candidate;
  };
  std::vector<Place> places;
  std::vector<size_t> taken(phrases_->tokens() + 1);  // of each number
  for (Candidate& candidate : candidates_) {
    if (candidate.token != options_.eos) candidate.progress = phrases_->after(candidate.progress, candidate.token);
    const int met = phrases_->tokens_met(candidate.progress);
    places.push_back({taken[met]++, met, candidate});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.round != b.round ? a.round < b.round : a.met > b.met;
  });
  candidates_.clear();
  int live = 0;
  for (const Place& place : places) {
    const bool ends = place.candidate.token == options_.eos;
    if (live == width_) break;
    live += !ends;
    insert(candidates_, place.candidate, is_likelier<Candidate>);
  }
}

// Of the candidates, likeliest first, those that end are done and the others live on, as far as there is room. So far
// behind hardly any comes back, and each costs as much as the first (Freitag and Al-Onaizan 2017); behind those that
// are done, too, or what is left after the end of a sentence that the model is sure of would live on as the likeliest.
void Beam::advance() {
  float best = candidates_.front().log_probability;
  for (const Hypothesis& finished : done_) best = std::max(best, finished.log_probability);
  std::vector<Hypothesis> next;
  parents_.clear();
  for (const Candidate& candidate : std::span(candidates_).first(std::min<size_t>(candidates_.size(), 2 * width_))) {
    if (candidate.log_probability < best - options_.margin) break;
    const bool ends = candidate.token == options_.eos;
    const Hypothesis& parent = live_[candidate.parent];
    Hypothesis hypothesis{parent.tokens, candidate.log_probability, candidate.parent,
                          ends,          parent.log_probabilities,  candidate.progress};
    if (options_.score) hypothesis.log_probabilities.push_back(candidate.log_probability_of_token);
    if (ends) {
      insert(done_, std::move(hypothesis), [this](const auto& a, const auto& b) { return score(a) > score(b); });
    } else if (static_cast<int>(next.size()) < width_) {
      hypothesis.tokens.push_back(candidate.token);
      next.push_back(std::move(hypothesis));
      parents_.push_back(candidate.parent);
    }
  }
  live_ = std::move(next);
  if (done_.size() > static_cast<size_t>(width_)) done_.resize(width_);
}

// By which the finished ones are ranked. What phrases cost is little to do with length: a mean would favour whoever
// adds likely tokens after them, a sum whoever leaves out articles before them (Wu et al. 2016, equation 14, lies
// between).
float Beam::score(const Hypothesis& finished) const {
  if (options_.by_probability) return finished.log_probability;
  const auto length = static_cast<float>(finished.tokens.size() + 1);
  return finished.log_probability / (phrases_ ? std::pow((5 + length) / 6, 0.6F) : length);
}

// Whether there is a full beam of finished hypotheses whose best beats the likeliest live one, if that ended now. One
// that goes on loses probability, so few would come back. If all are wanted, their last must beat it.
bool Beam::cannot_improve() const {
  if (done_.size() < static_cast<size_t>(width_)) return false;
  return score(options_.by_probability ? done_.back() : done_.front()) >= score(live_.front());
}

// Moves settled_ on over the tokens that all hypotheses share.
void Beam::settle() {
  const auto& tokens = best().tokens;
  const auto shares = [&](const Hypothesis& other) {
    const size_t at = settled_;
    return at < other.tokens.size() && other.tokens[at] == tokens[at];
  };
  while (settled_ < static_cast<int>(tokens.size()) && (finished_ || (std::all_of(live_.begin(), live_.end(), shares) &&
                                                                      std::all_of(done_.begin(), done_.end(), shares))))
    ++settled_;
}

}  // namespace dragoman
