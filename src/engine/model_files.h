#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dragoman {

/// The files of a model, read whole.
struct ModelFiles {
  std::string config;                       // config.json
  std::vector<std::byte> weights;           // model.safetensors
  std::string vocabulary;                   // vocab.spm, or source.spm
  std::string target_vocabulary = {};       // target.spm; empty: both sides have the one above
};

}  // namespace dragoman
