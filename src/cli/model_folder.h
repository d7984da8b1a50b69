#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dragoman {

/// The three files of a model folder, read whole.
struct ModelFolder {
  std::string config;            // config.json
  std::vector<std::byte> model;  // model.safetensors
  std::string vocabulary;        // vocab.spm
};

/// Throws Error(kIo) naming the file that cannot be read.
ModelFolder read_model_folder(const std::string& folder);

}  // namespace dragoman
