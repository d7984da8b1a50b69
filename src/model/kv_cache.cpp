#include "model/kv_cache.h"

#include <algorithm>

namespace dragoman {

void KvCache::assign(const KvCache& other) {
  length_ = other.length_;
  for (size_t at = 0; at < data_.size(); at += block(1))
    std::copy_n(&other.data_[at], static_cast<size_t>(length_) * width_, &data_[at]);
}

}  // namespace dragoman
