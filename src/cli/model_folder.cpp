#include "cli/model_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace dragoman {
namespace {

template <class Bytes>
Bytes read_file(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  require(!failed, ErrorCode::kIo, "cannot read ", path.string(), ": ", failed.message(),
          ". Is it a model folder (config.json, model.safetensors, vocab.spm)?");
  Bytes bytes(size, {});
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  require(static_cast<bool>(file), ErrorCode::kIo, "cannot read ", path.string(), ": ", std::strerror(errno));
  return bytes;
}

}  // namespace

ModelFiles read_model_folder(const std::string& folder) {
  const std::filesystem::path path(folder);
  auto config = read_file<std::string>(path / "config.json");
  auto weights = read_file<std::vector<std::byte>>(path / "model.safetensors");
  if (!std::filesystem::exists(path / "target.spm"))
    return {std::move(config), std::move(weights), read_file<std::string>(path / "vocab.spm")};
  return {std::move(config), std::move(weights), read_file<std::string>(path / "source.spm"),
          read_file<std::string>(path / "target.spm")};
}

}  // namespace dragoman
