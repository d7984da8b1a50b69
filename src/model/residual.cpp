#include "model/residual.h"

namespace dragoman {

LayerForm encoder_form(const Config& c) {
  return {c.encoder_width, c.encoder_heads,  c.encoder_head_width, c.encoder_norm_first,
          c.activation,    c.layer_norm_eps, c.deviation};
}

LayerForm decoder_form(const Config& c) {
  return {c.width,      c.decoder_heads,  c.decoder_head_width, c.decoder_norm_first,
          c.activation, c.layer_norm_eps, c.deviation};
}

const float* sublayer_input(const LayerForm& form, const LayerNormWeights& norm, int rows, Workspace& work) {
  if (!form.norm_first) return work.hidden.data();
  layer_norm(work.hidden.data(), form.norm(norm), rows, form.width, work.normed.data());
  return work.normed.data();
}

void add_sublayer(const LayerForm& form, const LayerNormWeights& norm, int rows, Workspace& work) {
  if (form.norm_first)
    work.hidden.head(rows * form.width) += work.residual.head(rows * form.width);
  else
    add_layer_norm(work.hidden.data(), work.residual.data(), form.norm(norm), rows, form.width);
}

}  // namespace dragoman
