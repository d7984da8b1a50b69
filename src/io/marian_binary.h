#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/tensor.h"

namespace dragoman {

/// What a model file of Marian's holds (model.*.bin, Bergamot's and Firefox's).
struct MarianModel {
  std::map<std::string, Tensor> tensors;  // by Marian's names
  std::string config;                     // special:model.yml
};

/// Whether a file begins as Marian's binary format does. No safetensors file can: its header would have one byte.
bool is_marian_model(std::span<const std::byte> file);

/// Reads Marian's binary format, version 1: u64 version, u64 n, n x {u64 length of the name with its NUL, type, rank,
/// bytes}, names, int32 shapes, u64 length of a padding, padding, data; all little-endian. Types: F32, int8 bytes (the
/// configuration), and int8 matrices with one multiplier behind them (integer = weight * multiplier).
///
/// The tensors are as everywhere in this project: a matrix is [outputs, inputs], a vector [size]. Int8 matrices lie
/// that way already, though their shape says otherwise; F32 ones, which do not, are transposed where they lie, but for
/// embeddings. Bergamot's multipliers of activations are left out: ours have a scale for every row.
///
/// Every claim of the file is checked against its bytes. Throws Error(kBadModel).
MarianModel parse_marian_model(std::span<std::byte> file);

/// What a lexical shortlist of Marian's holds (lex.*.s2t.bin): candidates of source piece s are
/// piece(offsets[s]) ... piece(offsets[s + 1] - 1). Its pieces stay in the file's bytes: there are a million of them.
struct MarianShortlist {
  uint64_t frequent;                       // the first so many target pieces are candidates of every sentence
  std::vector<uint64_t> offsets;           // ascending, the first is 0, the last is pieces(); at least two
  std::span<const std::byte> piece_bytes;  // of 32 bits each, of any alignment

  size_t pieces() const { return piece_bytes.size() / sizeof(uint32_t); }
  uint32_t piece(size_t i) const {
    uint32_t number;
    std::memcpy(&number, piece_bytes.data() + i * sizeof number, sizeof number);
    return number;
  }
};

/// File: u64 magic, checksum, frequent, most for a piece, number of offsets, number of pieces; u64 offsets, u32 pieces.
/// Every claim is checked, the checksum too. Throws Error(kBadModel).
MarianShortlist parse_marian_shortlist(std::span<const std::byte> file);

}  // namespace dragoman
