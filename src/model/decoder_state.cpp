#include "model/decoder_state.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dragoman {
namespace {

bool attends(const Config& config) { return config.decoder_unit == DecoderUnit::kSelfAttention; }

size_t cells(const Config& config) {
  return attends(config) ? 0 : static_cast<size_t>(config.decoder_layers) * config.width;
}

}  // namespace

DecoderState::DecoderState(const Config& config, int capacity)
    : width_(config.width),
      capacity_(capacity),
      cache_(config, attends(config) ? capacity : 0),
      cells_(cells(config)) {}

size_t DecoderState::bytes(const Config& config, int capacity) {
  return KvCache::bytes(config, attends(config) ? capacity : 0) + cells(config) * sizeof(float);
}

void DecoderState::assign(const DecoderState& other) {
  length_ = other.length_;
  cache_.assign(other.cache_);
  cells_ = other.cells_;
}

void reorder(std::vector<DecoderState>& states, std::span<const int> parents) {
  std::vector<int> same(parents.size());
  std::iota(same.begin(), same.end(), 0);
  if (std::equal(same.begin(), same.end(), parents.begin())) return;
  const size_t none = states.size();
  std::vector<size_t> state_of(parents.size(), none);  // of each child
  std::vector<bool> taken(states.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    if (taken[parents[i]]) continue;
    state_of[i] = parents[i];
    taken[parents[i]] = true;
  }
  for (size_t i = 0; i < parents.size(); ++i) {
    if (state_of[i] != none) continue;
    const size_t spare = std::find(taken.begin(), taken.end(), false) - taken.begin();
    states[spare].assign(states[parents[i]]);
    state_of[i] = spare;
    taken[spare] = true;
  }
  std::vector<DecoderState> ordered;
  ordered.reserve(states.size());
  for (const size_t i : state_of) ordered.push_back(std::move(states[i]));
  for (size_t i = 0; i < states.size(); ++i)
    if (!taken[i]) ordered.push_back(std::move(states[i]));
  states = std::move(ordered);
}

}  // namespace dragoman
