#pragma once

#include "model/config.h"
#include "model/weights.h"
#include "model/workspace.h"

namespace dragoman {

/// What all layers of a side have in common.
struct LayerForm {
  int width;              // D
  int heads, head_width;  // A / head_width, head_width
  bool norm_first;
  Activation activation;
  float eps;
  Deviation deviation;

  int attention_width() const { return heads * head_width; }  // A
  LayerNorm norm(const LayerNormWeights& weights) const {
    return {weights.gain.data(), weights.bias.data(), eps, deviation};
  }
};

LayerForm encoder_form(const Config& config);
LayerForm decoder_form(const Config& config);

/// Every sub-layer f is hidden = LN(hidden + f(hidden)), or, where the norm comes first, hidden += f(LN(hidden)).
/// Before: returns what f reads, for the first `rows` rows.
const float* sublayer_input(const LayerForm& form, const LayerNormWeights& norm, int rows, Workspace& work);
/// After: hidden takes in what f left in work.residual.
void add_sublayer(const LayerForm& form, const LayerNormWeights& norm, int rows, Workspace& work);

}  // namespace dragoman
