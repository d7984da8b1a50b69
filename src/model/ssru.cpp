#include "model/ssru.h"

#include "kernels/ssru.h"

namespace dragoman {

void ssru(const SsruWeights& weights, const LayerForm& form, int layer, std::span<const DecoderRow> rows,
          Workspace& work) {
  const int count = static_cast<int>(rows.size()), width = form.width;
  LinearInput hidden(sublayer_input(form, weights.norm, count, work), count, width, work.quantized);
  weights.forget.apply(hidden, work.query.data());
  weights.candidate.apply(hidden, work.value.data());
  for (int r = 0; r < count; ++r) {
    ssru_step(work.query.data() + r * width, work.value.data() + r * width, rows[r].target->cell(layer),
              work.residual.data() + r * width, width);
  }
  add_sublayer(form, weights.norm, count, work);
}

}  // namespace dragoman
