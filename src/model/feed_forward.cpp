#include "model/feed_forward.h"

namespace dragoman {

void feed_forward(const FeedForwardWeights& weights, const LayerForm& form, int rows, Workspace& work) {
  const int ffn_width = weights.up.outputs();
  LinearInput hidden(sublayer_input(form, weights.norm, rows, work), rows, form.width, work.quantized);
  weights.up.apply(hidden, work.ffn.data());
  activate(form.activation, work.ffn.data(), static_cast<size_t>(rows) * ffn_width);
  LinearInput inner(work.ffn.data(), rows, ffn_width, work.quantized);
  weights.down.apply(inner, work.residual.data());
  add_sublayer(form, weights.norm, rows, work);
}

}  // namespace dragoman
