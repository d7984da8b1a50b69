#include "model/kv_cache.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dragoman {

void KvCache::assign(const KvCache& other) {
  length_ = other.length_;
  for (size_t at = 0; at < data_.size(); at += block(1))
    std::copy_n(&other.data_[at], static_cast<size_t>(length_) * width_, &data_[at]);
}

void reorder(std::vector<KvCache>& caches, std::span<const int> parents) {
  std::vector<int> same(parents.size());
  std::iota(same.begin(), same.end(), 0);
  if (std::equal(same.begin(), same.end(), parents.begin())) return;
  const size_t none = caches.size();
  std::vector<size_t> cache_of(parents.size(), none);  // of each child
  std::vector<bool> taken(caches.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    if (taken[parents[i]]) continue;
    cache_of[i] = parents[i];
    taken[parents[i]] = true;
  }
  for (size_t i = 0; i < parents.size(); ++i) {
    if (cache_of[i] != none) continue;
    const size_t spare = std::find(taken.begin(), taken.end(), false) - taken.begin();
    caches[spare].assign(caches[parents[i]]);
    cache_of[i] = spare;
    taken[spare] = true;
  }
  std::vector<KvCache> ordered;
  ordered.reserve(caches.size());
  for (const size_t i : cache_of) ordered.push_back(std::move(caches[i]));
  for (size_t i = 0; i < caches.size(); ++i)
    if (!taken[i]) ordered.push_back(std::move(caches[i]));
  caches = std::move(ordered);
}

}  // namespace dragoman
