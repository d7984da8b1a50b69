#pragma once

namespace dragoman {

/// Where the keys and values of one attention lie, and how they are divided into heads.
struct AttentionShape {
  int heads;
  int head_width;
  int length;  // positions to attend to, >= 1
  int stride;  // floats from one position to the next, >= heads * head_width
};

/// Scaled dot-product attention of one query position over `length` cached positions, all heads
/// (Vaswani et al. 2017, eq. 1):  context_h = softmax(q_h K_h^T / sqrt(head_width)) V_h.
/// query, context [heads * head_width]; keys, values [length, stride]; weights [heads, length] receives the softmax.
/// There is no mask: what must not be seen is not in the cache. Any head width; no alignment.
void attend(const float* query, const float* keys, const float* values, const AttentionShape& shape, float* weights,
            float* context);
void attend_reference(const float* query, const float* keys, const float* values, const AttentionShape& shape,
                      float* weights, float* context);

}  // namespace dragoman
