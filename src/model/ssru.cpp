#include "model/ssru.h"

#include "kernels/layer_norm.h"
#include "kernels/ssru.h"

namespace dragoman {

void ssru(const SsruWeights& weights, int layer, std::span<const DecoderRow> rows, float eps, Workspace& work) {
  const int count = static_cast<int>(rows.size()), width = static_cast<int>(work.hidden.cols());
  LinearInput hidden(work.hidden.data(), count, width, work.quantized);
  weights.forget.apply(hidden, work.query.data());
  weights.candidate.apply(hidden, work.value.data());
  for (int r = 0; r < count; ++r) {
    ssru_step(work.query.row(r).data(), work.value.row(r).data(), rows[r].target->cell(layer),
              work.residual.row(r).data(), width);
  }
  add_layer_norm(work.hidden.data(), work.residual.data(), weights.norm.gain.data(), weights.norm.bias.data(), count,
                 width, eps);
}

}  // namespace dragoman
