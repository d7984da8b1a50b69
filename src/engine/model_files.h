#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dragoman {

/// The files of a model, read whole and unpacked: a folder of ours, or a set of Marian's (Bergamot's, Firefox's), which
/// the weights' first bytes tell.
struct ModelFiles {
  std::string config;                     // config.json; of Marian's the languages alone, in its fields
  std::vector<std::byte> weights;         // model.safetensors, or model.*.bin
  std::string vocabulary;                 // vocab.spm, or the source's
  std::string target_vocabulary = {};     // empty: both sides have the one above
  std::vector<std::byte> shortlist = {};  // lex.*.s2t.bin; empty: none, or among the tensors of model.safetensors
};

}  // namespace dragoman
