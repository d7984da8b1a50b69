#pragma once

#include <string>

#include "engine/model_files.h"

namespace dragoman {

/// Throws Error(kIo) naming the file that cannot be read.
ModelFiles read_model_folder(const std::string& folder);

}  // namespace dragoman
