#include "engine/admission.h"

#include <algorithm>
#include <numeric>

namespace dragoman {
namespace {

// Where stretches begin that are filled up to `most` rows, one after the other, and the end of the last.
std::vector<size_t> fill(std::span<const size_t> lengths, size_t most) {
  std::vector<size_t> bounds = {0};
  size_t rows = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (rows > 0 && rows + lengths[i] > most) {
      bounds.push_back(i);
      rows = 0;
    }
    rows += lengths[i];
  }
  bounds.push_back(lengths.size());
  return bounds;
}

}  // namespace

Demand operator+(const Demand& a, const Demand& b) {
  return {a.encoder_rows + b.encoder_rows, a.hypotheses + b.hypotheses, a.bytes + b.bytes};
}

bool is_admitted(const Demand& sentence, const Demand& batch, const Demand& running, const Demand& limits) {
  const Demand encoded = batch + sentence, all = running + encoded;
  const bool first = batch.hypotheses == 0, alone = first && running.hypotheses == 0;
  return all.hypotheses <= limits.hypotheses && (first || encoded.encoder_rows <= limits.encoder_rows) &&
         (alone || all.bytes <= limits.bytes);
}

std::vector<size_t> share_out(std::span<const size_t> lengths, size_t parts) {
  if (lengths.empty()) return {0};
  const size_t total = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  size_t least = std::max(*std::max_element(lengths.begin(), lengths.end()), (total + parts - 1) / parts);
  for (size_t most = total; least < most;) {
    const size_t middle = (least + most) / 2;
    if (fill(lengths, middle).size() <= parts + 1) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return fill(lengths, least);
}

}  // namespace dragoman
