#include "io/marian_binary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace dragoman {
namespace {

using enum ErrorCode;
constexpr uint64_t kVersion = 1, kShortlistMagic = 0xF11A48D5013417F5;
constexpr uint64_t kF32 = 0x0404, kBytes = 0x0101, kInt8Matrix = 0x4101;
constexpr std::string_view kConfig = "special:model.yml", kMultiplier = "_QuantMultA";

// Takes a file apart from its front; asking for more than is there is an error.
template <class Byte>
class Cursor {
 public:
  Cursor(std::span<Byte> rest, const char* file) : rest_(rest), file_(file) {}

  std::span<Byte> take(uint64_t bytes, std::string_view what) {
    require(bytes <= rest_.size(), kBadModel, file_, " is cut off: ", what, " needs ", bytes, " bytes, ", rest_.size(),
            " are there");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  template <class Number>
  Number number(std::string_view what) {
    Number value;  // little-endian, as every machine that this is built for
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  uint64_t rest() const { return rest_.size(); }

 private:
  std::span<Byte> rest_;
  const char* file_;
};

struct Item {
  uint64_t name_bytes, type, dimensions, bytes;
  std::string name;
  std::vector<int64_t> shape;
};

using ModelCursor = Cursor<std::byte>;

std::vector<Item> read_items(ModelCursor& in) {
  const auto version = in.number<uint64_t>("its version");
  require(version == kVersion, kBadModel, "model file has version ", version, " of Marian's binary format, not ",
          kVersion);
  const auto count = in.number<uint64_t>("its number of tensors");
  require(count <= in.rest() / 32, kBadModel, "model file claims to hold ", count,
          " tensors, more than it has room for");
  std::vector<Item> items(count);
  for (Item& item : items) {
    for (uint64_t* field : {&item.name_bytes, &item.type, &item.dimensions, &item.bytes})
      *field = in.number<uint64_t>("a tensor's description");
  }
  for (Item& item : items) {
    const auto name = in.take(item.name_bytes, "a tensor's name");
    require(!name.empty() && name.back() == std::byte{0}, kBadModel, "model file has a tensor whose name does not end");
    item.name.assign(reinterpret_cast<const char*>(name.data()), name.size() - 1);
  }
  for (Item& item : items) {
    require(item.dimensions <= kMaxDimensions, kBadModel, "tensor ", item.name, " claims ", item.dimensions,
            " dimensions");
    for (uint64_t i = 0; i < item.dimensions; ++i) {
      const auto size = in.number<int32_t>("a tensor's shape");
      require(size > 0, kBadModel, "tensor ", item.name, " claims a size of ", size);
      item.shape.push_back(size);
    }
  }
  in.take(in.number<uint64_t>("its padding"), "its padding");
  return items;
}

// Values of the shape; an error if they cannot lie in the item's bytes, with `behind` more bytes.
uint64_t values_of(const Item& item, uint64_t value_bytes, uint64_t behind) {
  uint64_t values = 1;
  for (const int64_t size : item.shape) {
    require(values <= item.bytes / size, kBadModel, "tensor ", item.name, " claims to be larger than its ", item.bytes,
            " bytes");
    values *= static_cast<uint64_t>(size);
  }
  require(behind <= item.bytes && values <= (item.bytes - behind) / value_bytes, kBadModel, "tensor ", item.name,
          " has ", item.bytes, " bytes, too few for ", values, " values");
  return values;
}

// A table, a row a piece or position.
bool is_embedding(const Item& item) { return item.name.ends_with("Wemb") || item.name == "Wpos"; }

// [size] of [1, size], [outputs, inputs] of [inputs, outputs]; an embedding keeps its own.
std::vector<int64_t> our_shape(const Item& item) {
  require(item.shape.size() == 1 || item.shape.size() == 2, kBadModel, "tensor ", item.name, " has ", item.shape.size(),
          " dimensions; 1 and 2 are supported");
  if (item.shape.size() == 1 || item.shape[0] == 1) return {item.shape.back()};
  if (is_embedding(item)) return item.shape;
  return {item.shape[1], item.shape[0]};
}

// [rows, columns] -> [columns, rows], in place.
void transpose(std::span<std::byte> bytes, int64_t rows, int64_t columns) {
  std::vector<float> from(bytes.size() / sizeof(float)), to(from.size());
  std::memcpy(from.data(), bytes.data(), bytes.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  std::memcpy(bytes.data(), to.data(), bytes.size());
}

Tensor float_tensor(const Item& item, std::span<std::byte> data) {
  const auto bytes = data.first(values_of(item, sizeof(float), 0) * sizeof(float));
  Tensor tensor{TensorType::kF32, our_shape(item), bytes};
  if (tensor.shape.size() == 2 && !is_embedding(item)) transpose(bytes, item.shape[0], item.shape[1]);
  return tensor;
}

Tensor int8_tensor(const Item& item, std::span<std::byte> data) {
  const uint64_t values = values_of(item, 1, sizeof(float));
  float multiplier;
  std::memcpy(&multiplier, data.data() + values, sizeof multiplier);
  const float scale = 1 / multiplier;
  require(multiplier > 0 && std::isfinite(scale) && scale > 0, kBadModel, "tensor ", item.name, " has the multiplier ",
          multiplier, ", which cannot be");
  return {TensorType::kI8, our_shape(item), data.first(values), scale};
}

// Marian's: Boost's hash_combine over 64-bit words.
uint64_t checksum(std::span<const std::byte> bytes) {
  uint64_t seed = 0;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    seed ^= word + 0x9E3779B9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

}  // namespace

bool is_marian_model(std::span<const std::byte> file) {
  uint64_t version = 0;
  if (file.size() >= sizeof version) std::memcpy(&version, file.data(), sizeof version);
  return version == kVersion;
}

MarianModel parse_marian_model(std::span<std::byte> file) {
  ModelCursor in(file, "model file");
  MarianModel model;
  bool has_config = false;
  for (const Item& item : read_items(in)) {
    const auto data = in.take(item.bytes, item.name);
    if (item.name == kConfig) {
      require(item.type == kBytes && !has_config, kBadModel, "model file's ", kConfig, " is not one run of bytes");
      model.config.assign(reinterpret_cast<const char*>(data.data()), values_of(item, 1, 0));
      has_config = true;
    } else if (!item.name.ends_with(kMultiplier)) {
      require(item.type == kF32 || item.type == kInt8Matrix, kBadModel, "tensor ", item.name, " has Marian's type ",
              item.type, "; ", kF32, " (F32) and ", kInt8Matrix, " (intgemm8) are supported");
      auto tensor = item.type == kF32 ? float_tensor(item, data) : int8_tensor(item, data);
      require(model.tensors.emplace(item.name, std::move(tensor)).second, kBadModel, "model file holds ", item.name,
              " twice");
    }
  }
  require(in.rest() == 0, kBadModel, "model file has ", in.rest(), " bytes that belong to no tensor");
  require(has_config, kBadModel, "model file lacks ", kConfig, ": only such as Marian writes for translators have it");
  return model;
}

MarianShortlist parse_marian_shortlist(std::span<const std::byte> file) {
  Cursor<const std::byte> in(file, "shortlist file");
  const auto magic = in.number<uint64_t>("its first number");
  require(magic == kShortlistMagic, kBadModel, "shortlist file does not begin as Marian's do");
  const auto expected = in.number<uint64_t>("its checksum");
  const auto hashed = file.subspan(2 * sizeof(uint64_t));
  MarianShortlist list{in.number<uint64_t>("its header"), {}, {}};
  in.number<uint64_t>("its header");  // the most for a piece: of no use here
  const auto offsets = in.number<uint64_t>("its header"), pieces = in.number<uint64_t>("its header");
  require(offsets >= 2 && offsets <= in.rest() / sizeof(uint64_t), kBadModel, "shortlist file claims ", offsets,
          " offsets, which it has no room for");
  const auto offset_bytes = in.take(offsets * sizeof(uint64_t), "its offsets");
  require(in.rest() % sizeof(uint32_t) == 0 && pieces == in.rest() / sizeof(uint32_t), kBadModel,
          "shortlist file claims ", pieces, " pieces; ", in.rest(), " bytes are there for them");
  require(checksum(hashed) == expected, kBadModel,
          "shortlist file is damaged: its contents do not match their checksum");
  list.offsets.resize(offsets);
  std::memcpy(list.offsets.data(), offset_bytes.data(), offset_bytes.size());
  list.piece_bytes = in.take(in.rest(), "its pieces");
  require(list.offsets.front() == 0 && list.offsets.back() == pieces &&
              std::is_sorted(list.offsets.begin(), list.offsets.end()),
          kBadModel, "shortlist file's offsets do not ascend from 0 to ", pieces);
  return list;
}

}  // namespace dragoman
