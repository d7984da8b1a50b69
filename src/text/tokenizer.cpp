#include "text/tokenizer.h"

#include <sentencepiece.pb.h>
#include <sentencepiece_model.pb.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <new>

#include "base/error.h"
#include "text/charsmap.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

constexpr std::string_view kBlankMark = "\xE2\x96\x81";  // U+2581, SentencePiece's blank

// Translations are put together of pieces, and what reads these takes them for valid.
bool is_valid_utf8(const sentencepiece::ModelProto::SentencePiece& piece) {
  return sanitize_utf8(piece.piece()) == piece.piece();
}

}  // namespace

Tokenizer::Tokenizer(std::string_view vocabulary) : processor_(new sentencepiece::SentencePieceProcessor) {
  if (WordPieces::is_one(vocabulary)) {
    words_ = std::make_unique<WordPieces>(vocabulary);
    return;
  }
  // An empty model loads without complaint, and damaged ones may throw where SentencePiece builds its trie.
  require(!vocabulary.empty(), ErrorCode::kBadVocabulary, "vocab.spm is empty");
  std::string reason;
  try {
    auto model = std::make_unique<sentencepiece::ModelProto>();
    if (!model->ParseFromArray(vocabulary.data(), static_cast<int>(vocabulary.size()))) {
      reason = "it is no SentencePiece model";
    } else if (!is_sound_charsmap(model->normalizer_spec().precompiled_charsmap())) {
      reason = "its rules of normalisation are damaged";
    } else if (!std::all_of(model->pieces().begin(), model->pieces().end(), is_valid_utf8)) {
      reason = "a piece is not valid UTF-8";
    } else if (const auto status = processor_->Load(std::move(model)); !status.ok()) {
      reason = status.ToString();
    }
  } catch (const std::bad_alloc&) {  // no fault of the vocabulary
    throw;
  } catch (const std::exception& e) {
    reason = e.what();
    if (reason.find("std::bad_alloc") != reason.npos) throw std::bad_alloc();  // as the trie tells it
  }
  require(reason.empty(), ErrorCode::kBadVocabulary, "vocab.spm cannot be read: ", reason);
}

Tokenizer::~Tokenizer() = default;

int Tokenizer::size() const { return words_ ? words_->size() : processor_->GetPieceSize(); }
int Tokenizer::eos() const { return words_ ? words_->eos() : processor_->eos_id(); }
int Tokenizer::unknown() const { return words_ ? words_->unknown() : processor_->unk_id(); }

std::vector<int> Tokenizer::encode(std::string_view text, std::vector<TextRange>* ranges) const {
  if (words_) return words_->encode(text, ranges);
  sentencepiece::SentencePieceText encoded;
  const auto status = processor_->Encode({text.data(), text.size()}, &encoded);
  require(status.ok(), ErrorCode::kInvalidArgument, "text cannot be split into pieces: ", status.ToString());
  std::vector<int> ids;
  for (const auto& piece : encoded.pieces()) ids.push_back(static_cast<int>(piece.id()));
  if (ranges) {
    ranges->clear();
    for (const auto& piece : encoded.pieces()) ranges->push_back({piece.begin(), piece.end()});
    if (!ranges->empty()) {  // blanks at the ends, which normalisation drops
      ranges->front().begin = 0;
      ranges->back().end = text.size();
    }
  }
  return ids;
}

std::string Tokenizer::piece(int id) const { return words_ ? words_->piece(id) : processor_->IdToPiece(id); }

std::string Tokenizer::text_of(int id) const {
  if (processor_->IsControl(id) || processor_->IsUnknown(id) || processor_->IsByte(id)) return {};
  std::string_view rest = processor_->IdToPiece(id);
  std::string text;
  for (size_t mark; (mark = rest.find(kBlankMark)) != rest.npos; rest.remove_prefix(mark + kBlankMark.size()))
    text.append(rest.substr(0, mark)) += ' ';
  return text.append(rest);
}

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool annotate) : tokenizer_(&tokenizer), annotate_(annotate) {
  if (tokenizer.words_) words_.emplace(*tokenizer.words_);
}

void Detokenizer::append(int id) {
  if (words_) {
    if (annotate_) ranges_.push_back({text_.size(), text_.size()});
    add(words_->next(id));
    return;
  }
  const auto& processor = *tokenizer_->processor_;
  const std::string& piece = processor.IdToPiece(id);
  if (!processor.IsByte(id)) finish();
  if (annotate_) ranges_.push_back({text_.size(), text_.size()});
  if (processor.IsByte(id)) {
    bytes_ += static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16));  // "<0xE4>"
    const std::string_view whole = std::string_view(bytes_).substr(0, complete_prefix(bytes_));
    add(sanitize_utf8(whole));
    bytes_.erase(0, whole.size());
    return;
  }
  if (processor.IsControl(id)) return;
  if (processor.IsUnknown(id)) {
    add(" \xE2\x81\x87 ");  // SentencePiece's sign for an unknown piece
    return;
  }
  const std::string text = tokenizer_->text_of(id);
  add(at_start_ && piece.starts_with(kBlankMark) ? std::string_view(text).substr(1) : text);
  at_start_ = false;
}

void Detokenizer::finish() {
  if (words_) add(words_->finish());
  add(sanitize_utf8(bytes_));
  bytes_.clear();
}

void Detokenizer::add(std::string_view text) {
  for (char c : text) text_ += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  if (!text.empty()) at_start_ = false;
  if (!ranges_.empty()) ranges_.back().end = text_.size();
}

}  // namespace dragoman
