#include "cli/packed_file.h"

#include <zlib.h>
#include <zstd.h>

#include <memory>

#include "base/error.h"

namespace dragoman {
namespace {

constexpr size_t kChunk = 1 << 20;
constexpr size_t kLargest = size_t{1} << 30;
constexpr int kGzipOnly = 16;  // added to the window's bits

using Bytes = std::vector<std::byte>;

struct Piece {
  size_t size;
  bool is_last;
};

// next(room) puts the next piece of what is unpacked into it.
template <class Next>
Bytes all_pieces(const std::string& name, Next next) {
  Bytes unpacked;
  for (Piece piece{0, false}; !piece.is_last;) {
    const size_t size = unpacked.size();
    require(size < kLargest, ErrorCode::kIo, name, " unpacks to more than any model has");
    unpacked.resize(size + kChunk);
    piece = next(std::span(unpacked).subspan(size));
    unpacked.resize(size + piece.size);
  }
  return unpacked;
}

Bytes gunzip(std::span<const std::byte> file, const std::string& name) {
  z_stream stream{};
  require(inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK, ErrorCode::kIo,
          "zlib cannot be used: ", stream.msg ? stream.msg : "no reason given");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  require(stream.avail_in == file.size(), ErrorCode::kIo, name, " is larger than any model");
  Bytes unpacked = all_pieces(name, [&](std::span<std::byte> room) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    require(status == Z_OK || status == Z_STREAM_END, ErrorCode::kIo, name,
            " is damaged: ", stream.msg ? stream.msg : "it is cut off");
    return Piece{room.size() - stream.avail_out, status == Z_STREAM_END};
  });
  require(stream.avail_in == 0, ErrorCode::kIo, name, " is damaged: ", stream.avail_in, " bytes are behind its end");
  return unpacked;
}

Bytes unzstd(std::span<const std::byte> file, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  require(stream != nullptr, ErrorCode::kIo, "zstd cannot be used: there is not enough memory");
  ZSTD_inBuffer in{file.data(), file.size(), 0};
  return all_pieces(name, [&](std::span<std::byte> room) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const size_t left = ZSTD_decompressStream(stream.get(), &out, &in);  // of a frame; there may be several
    require(!ZSTD_isError(left), ErrorCode::kIo, name, " is damaged: ", ZSTD_getErrorName(left));
    require(left == 0 || in.pos < in.size || out.pos == out.size, ErrorCode::kIo, name, " is damaged: it is cut off");
    return Piece{out.pos, left == 0 && in.pos == in.size};
  });
}

}  // namespace

Bytes unpack(Bytes file, const std::string& name) {
  if (name.ends_with(".gz")) return gunzip(file, name);
  if (name.ends_with(".zst")) return unzstd(file, name);
  return file;
}

}  // namespace dragoman
