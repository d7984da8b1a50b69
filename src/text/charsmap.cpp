#include "text/charsmap.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dragoman {
namespace {

constexpr uint32_t kNone = ~0u;
constexpr int kMostMatches = 32;  // Normalizer::kMaxTrieResultsSize
constexpr int kLongestKey = 200;  // bytes; far longer than any rule

uint32_t word_at(std::string_view bytes, size_t i) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + 4 * i, sizeof word);
  return word;
}

// A double-array trie (darts-clone). A unit holds the label that leads to it, whether a key ends there, and an offset:
// the unit that byte c leads to is unit ^ offset ^ c, if that bears the label c; the key's value is at unit ^ offset.
class Trie {
 public:
  Trie(std::string_view units, size_t values)
      : units_(units.size() / 4), values_(values), first_(units_.size(), kNone), next_(units_.size(), kNone) {
    for (uint32_t i = 0; i < units_.size(); ++i) units_[i] = word_at(units, i);
    for (uint32_t i = 0; i < units_.size(); ++i) {
      const uint32_t label = units_[i] & 0x800000FF;  // of a value more than a byte
      if (label > 0xFF) continue;
      const uint32_t base = i ^ label;  // differs from i in the last byte
      if (base >= units_.size()) continue;
      next_[i] = first_[base];
      first_[base] = i;
    }
    matches_.assign(units_.size(), kUnknown);
  }

  bool is_sound() { return !units_.empty() && most_matches(0, 0) >= 0; }

 private:
  static constexpr int kUnknown = -1, kOpen = -2, kUnsound = -3;

  // Keys that begin with the way to `unit`, behind it, and one another: the most on any way; kUnsound if a way leads
  // out of the trie or round in a circle, or a value out of the text.
  int most_matches(uint32_t unit, int depth) {
    if (matches_[unit] == kOpen || depth > kLongestKey) return kUnsound;
    if (matches_[unit] != kUnknown) return matches_[unit];
    matches_[unit] = kOpen;
    const uint32_t word = units_[unit], offset = word >> 10 << ((word & 1u << 9) >> 6), base = unit ^ offset;
    if ((base | 0xFF) >= units_.size()) return kUnsound;
    const bool has_value = unit != 0 && (word >> 8 & 1);
    if (has_value && (units_[base] & 0x7FFFFFFF) >= values_) return kUnsound;
    int most = 0;
    for (uint32_t child = first_[base]; child != kNone; child = next_[child]) {
      const int behind = most_matches(child, depth + 1);
      if (behind == kUnsound) return kUnsound;
      most = std::max(most, behind);
    }
    most += has_value;
    return matches_[unit] = most <= kMostMatches ? most : kUnsound;
  }

  std::vector<uint32_t> units_;
  size_t values_;
  std::vector<uint32_t> first_, next_;  // units that a base leads to by their labels, one after the other
  std::vector<int> matches_;            // of each unit, once known
};

}  // namespace

bool is_sound_charsmap(std::string_view charsmap) {
  if (charsmap.empty()) return true;
  if (charsmap.size() < 4) return false;
  const size_t trie = word_at(charsmap, 0);
  charsmap.remove_prefix(4);
  // Values are places in the text behind the trie, in which each ends with a zero.
  if (trie >= charsmap.size() || charsmap.back() != '\0') return false;
  return Trie(charsmap.substr(0, trie), charsmap.size() - trie).is_sound();
}

}  // namespace dragoman
