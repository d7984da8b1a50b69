#include "cli/gzip.h"

#include <zlib.h>

#include <memory>

#include "base/error.h"

namespace dragoman {
namespace {

constexpr size_t kChunk = 1 << 20;
constexpr size_t kLargest = size_t{1} << 30;
constexpr int kGzipOnly = 16;  // added to the window's bits

}  // namespace

std::vector<std::byte> gunzip(std::span<const std::byte> file, const std::string& name) {
  z_stream stream{};
  require(inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK, ErrorCode::kIo,
          "zlib cannot be used: ", stream.msg ? stream.msg : "no reason given");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  require(stream.avail_in == file.size(), ErrorCode::kIo, name, " is larger than any model");
  std::vector<std::byte> unpacked;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const size_t size = unpacked.size();
    require(size < kLargest, ErrorCode::kIo, name, " unpacks to more than any model has");
    unpacked.resize(size + kChunk);
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data() + size);
    stream.avail_out = kChunk;
    status = inflate(&stream, Z_NO_FLUSH);
    unpacked.resize(unpacked.size() - stream.avail_out);
    require(status == Z_OK || status == Z_STREAM_END, ErrorCode::kIo, name,
            " is damaged: ", stream.msg ? stream.msg : "it is cut off");
  }
  require(stream.avail_in == 0, ErrorCode::kIo, name, " is damaged: ", stream.avail_in, " bytes are behind its end");
  return unpacked;
}

}  // namespace dragoman
