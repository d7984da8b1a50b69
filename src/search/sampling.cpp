#include "search/sampling.h"

#include <algorithm>
#include <numeric>

#include "kernels/argmax.h"
#include "kernels/softmax.h"

namespace dragoman {
namespace {

// Steele et al. 2014, "Fast splittable pseudorandom number generators": the next state, mixed.
uint64_t mixed(uint64_t state) {
  state += 0x9E3779B97F4A7C15;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

// 0 <= x < 1.
double chance(uint32_t seed, size_t sentence, size_t position) {
  return static_cast<double>(mixed(mixed(mixed(seed) + sentence) + position) >> 11) * 0x1p-53;
}

}  // namespace

void SamplingRule::apply(const Hypothesis& hypothesis, const NextTokens& next) const {
  const int size = static_cast<int>(next.logits.size());
  float* const p = probabilities_.data();
  const float most = next.logits[argmax(next.logits.data(), size)];
  if (most == kForbidden) return;
  for (int i = 0; i < size; ++i) p[i] = (next.logits[i] - most) / sampling_.temperature;
  softmax(p, size);

  // The likeliest, as many as count, in front.
  const auto begin = likeliest_.begin(), end = begin + size;
  std::iota(begin, end, 0);
  auto kept = end;
  double total = 0;
  if (sampling_.top_k > 0 || sampling_.top_p < 1) {
    // A heap gives them one by one; equals by number, so that the order is the same everywhere.
    const auto less = [p](int a, int b) { return p[a] < p[b] || (p[a] == p[b] && a > b); };
    std::make_heap(begin, end, less);
    const int most_kept = sampling_.top_k > 0 ? std::min(sampling_.top_k, size) : size;
    auto heap = end;
    while (end - heap < most_kept && (heap == end || total < sampling_.top_p)) {
      std::pop_heap(begin, heap, less);
      total += p[*--heap];
    }
    std::reverse(begin, end);
    kept = begin + (end - heap);
  } else {
    total = std::accumulate(p, p + size, 0.0);
  }

  double left = chance(sampling_.seed, sentence_, hypothesis.tokens.size()) * total;
  int drawn = *begin;
  for (auto at = begin; at != kept; ++at) {
    if (p[*at] > 0) drawn = *at;
    left -= p[*at];
    if (left < 0) break;
  }
  for (int i = 0; i < size; ++i)
    if (i != drawn) next.logits[i] = kForbidden;
}

}  // namespace dragoman
