#include "io/safetensors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dragoman {
namespace {

using nlohmann::json;

using enum ErrorCode;
constexpr uint64_t kMaxHeaderBytes = 16 << 20;

uint64_t header_length(std::span<const std::byte> file) {
  require(file.size() >= 8, kBadModel, "model file is ", file.size(), " bytes: too short to be a safetensors file");
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::to_integer<uint64_t>(file[i]);
  require(length <= kMaxHeaderBytes, kBadModel, "model file claims a header of ", length, " bytes; at most ",
          kMaxHeaderBytes, " are allowed. Is it a safetensors file?");
  require(length <= file.size() - 8, kBadModel, "model file is cut off: its header needs ", length, " bytes, ",
          file.size() - 8, " are there");
  return length;
}

json parse_header(std::span<const std::byte> bytes) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  json header = json::parse(text, text + bytes.size(), nullptr, /*allow_exceptions=*/false);
  require(header.is_object(), kBadModel, "model file's header is not a JSON object: the file is damaged");
  return header;
}

TensorType parse_type(const std::string& name, const json& entry) {
  const auto dtype = entry.find("dtype");
  const std::string type = dtype != entry.end() && dtype->is_string() ? dtype->get<std::string>() : "";
  if (type == "F32") return TensorType::kF32;
  if (type == "F16") return TensorType::kF16;
  if (type == "I8") return TensorType::kI8;
  if (type == "U16") return TensorType::kU16;
  fail(kBadModel, "tensor ", name, " has type '", type, "'; F32, F16, I8 and U16 are supported");
}

uint64_t bytes_per_element(TensorType type) { return type == TensorType::kF32 ? 4 : type == TensorType::kI8 ? 1 : 2; }

// Bytes of the shape, or an error if it is not a list of sizes or could not possibly fit into `limit` bytes.
uint64_t parse_shape(const std::string& name, const json& entry, uint64_t limit, Tensor& tensor) {
  const auto shape = entry.find("shape");
  require(shape != entry.end() && shape->is_array() && shape->size() <= kMaxDimensions, kBadModel, "tensor ", name,
          " has no proper shape");
  uint64_t bytes = bytes_per_element(tensor.type);
  for (const json& size : *shape) {
    require(size.is_number_unsigned(), kBadModel, "tensor ", name, " has a size that is not a whole number");
    const auto n = size.get<uint64_t>();
    require(n == 0 || bytes <= limit / n, kBadModel, "tensor ", name, " claims to be larger than the file");
    bytes *= n;
    tensor.shape.push_back(static_cast<int64_t>(n));
  }
  return bytes;
}

Tensor parse_tensor(const std::string& name, const json& entry, std::span<std::byte> data) {
  require(entry.is_object(), kBadModel, "tensor ", name, " has no proper description");
  Tensor tensor{parse_type(name, entry), {}, {}};
  const uint64_t bytes = parse_shape(name, entry, data.size(), tensor);
  const auto offsets = entry.find("data_offsets");
  require(offsets != entry.end() && offsets->is_array() && offsets->size() == 2 && (*offsets)[0].is_number_unsigned() &&
              (*offsets)[1].is_number_unsigned(),
          kBadModel, "tensor ", name, " has no proper data_offsets");
  const auto begin = (*offsets)[0].get<uint64_t>(), end = (*offsets)[1].get<uint64_t>();
  require(end <= data.size(), kBadModel, "model file is cut off: tensor ", name, " ends at byte ", end,
          " of the data section, which has ", data.size());
  require(begin <= end && end - begin == bytes, kBadModel, "tensor ", name, " needs ", bytes, " bytes, its offsets ",
          begin, "..", end, " do not fit");
  tensor.bytes = data.subspan(begin, bytes);
  return tensor;
}

void check_coverage(const std::map<std::string, Tensor>& tensors, std::span<const std::byte> data) {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& [name, tensor] : tensors) parts.push_back(tensor.bytes);
  std::sort(parts.begin(), parts.end(),
            [](auto a, auto b) { return a.data() != b.data() ? a.data() < b.data() : a.size() < b.size(); });
  const std::byte* at = data.data();
  for (const auto& part : parts) {
    require(part.data() == at, kBadModel, "model file's tensors overlap or leave holes: the header is damaged");
    at += part.size();
  }
  require(at == data.data() + data.size(), kBadModel, "model file has ", data.data() + data.size() - at,
          " bytes that belong to no tensor");
}

void check_hash(const json& metadata, std::span<const std::byte> data) {
  require(metadata.is_object(), kBadModel, "model file's metadata is not a JSON object");
  const auto expected = metadata.find("xxh64");
  if (expected == metadata.end()) return;
  char actual[17];
  std::snprintf(actual, sizeof actual, "%016llx", static_cast<unsigned long long>(XXH64(data.data(), data.size(), 0)));
  require(*expected == actual, kBadModel,
          "model file is damaged: its contents do not match their hash. Fetch it again");
}

}  // namespace

std::map<std::string, Tensor> parse_safetensors(std::span<std::byte> file) {
  const uint64_t length = header_length(file);
  const json header = parse_header(file.subspan(8, length));
  const std::span<std::byte> data = file.subspan(8 + length);
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") tensors.emplace(name, parse_tensor(name, entry, data));
  }
  check_coverage(tensors, data);
  if (header.contains("__metadata__")) check_hash(header["__metadata__"], data);
  return tensors;
}

}  // namespace dragoman
