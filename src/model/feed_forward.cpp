#include "model/feed_forward.h"

#include "kernels/layer_norm.h"

namespace dragoman {

void feed_forward(const FeedForwardWeights& weights, int rows, float eps, Workspace& work) {
  const int width = static_cast<int>(work.hidden.cols()), ffn_width = weights.up.outputs();
  LinearInput hidden(work.hidden.data(), rows, width, work.quantized);
  weights.up.apply(hidden, work.ffn.data());
  MatrixView ffn(work.ffn.data(), rows, ffn_width);
  ffn = ffn.cwiseMax(0.0f);
  LinearInput inner(work.ffn.data(), rows, ffn_width, work.quantized);
  weights.down.apply(inner, work.residual.data());
  add_layer_norm(work.hidden.data(), work.residual.data(), weights.norm.gain.data(), weights.norm.bias.data(), rows,
                 width, eps);
}

}  // namespace dragoman
