#pragma once

#include <string>

#include "engine/model_files.h"

namespace dragoman {

/// The files of a model folder, which may be of two kinds:
/// - ours: config.json, model.safetensors, and vocab.spm or source.spm and target.spm;
/// - Bergamot's and Firefox's: model.<languages>.*.bin, vocab.*.spm or srcvocab.*.spm and trgvocab.*.spm, and, if there
///   is one, the shortlist lex.*.bin; each of them may be gzipped (.gz). The languages are those of the file's name
///   ("ende"), or else of the folder's ("en-de").
/// Throws Error(kIo) naming the file that cannot be read.
ModelFiles read_model_folder(const std::string& name);

}  // namespace dragoman
