#include "cli/model_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "cli/packed_file.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

// Unpacked, if it is packed.
Bytes read_file(const fs::path& path) {
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  require(!failed, ErrorCode::kIo, "cannot read ", path.string(), ": ", failed.message(),
          ". Is it a model folder (config.json, model.safetensors, vocab.spm, or model.*.bin, vocab.*.spm)?");
  Bytes bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  require(static_cast<bool>(file), ErrorCode::kIo, "cannot read ", path.string(), ": ", std::strerror(errno));
  return unpack(std::move(bytes), path.string());
}

std::string read_text(const fs::path& path) {
  const Bytes bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The one file of the folder called <kind>.*<ending>, packed or not.
std::optional<fs::path> find(const fs::path& folder, const std::string& kind, const std::string& ending) {
  std::optional<fs::path> found;
  std::error_code none;  // a folder that cannot be listed has no such file
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    std::string name = entry.path().filename().string();
    for (const std::string_view packed : kPackedEndings)
      if (name.ends_with(packed)) name.resize(name.size() - packed.size());
    if (!name.starts_with(kind + '.') || !name.ends_with(ending)) continue;
    require(!found, ErrorCode::kIo, folder.string(), " holds more than one ", kind, ".*", ending, ": ",
            found.value_or("").filename().string(), " and ", entry.path().filename().string());
    found = entry.path();
  }
  return found;
}

bool is_language(const std::string& text) {
  return 2 <= text.size() && text.size() <= 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return 'a' <= c && c <= 'z'; });
}

// The fields of config.json that Marian's files do not tell.
std::string languages_of(const fs::path& model) {
  std::string from, to;
  const std::string name = model.filename().string();
  const std::string pair = name.substr(6, name.find('.', 6) - 6);  // model.<pair>.
  const std::string folder = fs::absolute(model).parent_path().filename().string();
  const size_t dash = std::min(folder.find('-'), folder.size());
  if (pair.size() == 4) from = pair.substr(0, 2), to = pair.substr(2);
  if (!is_language(from) || !is_language(to))
    from = folder.substr(0, dash), to = folder.substr(std::min(dash + 1, folder.size()));
  if (!is_language(from) || !is_language(to)) from = to = "und";
  return nlohmann::json{{"source_language", from}, {"target_language", to}}.dump();
}

ModelFiles read_marian_folder(const fs::path& folder, const fs::path& model) {
  ModelFiles files{languages_of(model), read_file(model), {}};
  const auto source = find(folder, "srcvocab", ".spm"), target = find(folder, "trgvocab", ".spm");
  if (source && target) {
    files.vocabulary = read_text(*source);
    files.target_vocabulary = read_text(*target);
  } else {
    files.vocabulary = read_text(find(folder, "vocab", ".spm").value_or(folder / "vocab.*.spm"));
  }
  if (const auto shortlist = find(folder, "lex", ".bin")) files.shortlist = read_file(*shortlist);
  return files;
}

}  // namespace

ModelFiles read_model_folder(const std::string& name) {
  const fs::path folder(name);
  if (!fs::exists(folder / "config.json"))
    if (const auto model = find(folder, "model", ".bin")) return read_marian_folder(folder, *model);
  const bool shared = !fs::exists(folder / "target.spm");
  ModelFiles files{read_text(folder / "config.json"), read_file(folder / "model.safetensors"),
                   read_text(folder / (shared ? "vocab.spm" : "source.spm"))};
  if (!shared) files.target_vocabulary = read_text(folder / "target.spm");
  return files;
}

}  // namespace dragoman
