// The files of a model folder, ours and Marian's, alone and together.
#include <cstring>
#include <map>

#include "engine/engine.h"
#include "fuzz/support.h"
#include "io/marian_binary.h"
#include "io/safetensors.h"
#include "model/config.h"
#include "model/marian_config.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

namespace dragoman::fuzz {
namespace {

// A safetensors file of its parts: a length that fits its header is more than chance would find.
std::vector<std::byte> safetensors_file(std::string_view header, std::string_view data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes_of(file.append(header).append(data));
}

// A sentence in pieces and back, by a vocabulary of any kind.
void read_and_write(const Tokenizer& tokenizer) {
  for (const std::string_view sentence : {"The house is small. \u00C4pfel, 4,5 \u2122 \U0001F408!",
                                          "C'est l'homme qui est ici aujourd'hui.", "a", " ", ""}) {
    std::vector<TextRange> ranges;
    const std::vector<int> ids = tokenizer.encode(sentence, &ranges);
    expect(ids.size() == ranges.size(), "as many ranges as pieces");
    Detokenizer written(tokenizer, true);
    for (const int id : ids) {
      expect(0 <= id && id < tokenizer.size(), "a piece of the vocabulary");
      written.append(id);
    }
    written.finish();
    expect(sanitize_utf8(written.text()) == written.text(), "what is written is valid UTF-8");
  }
  Detokenizer all(tokenizer);  // a model may choose any
  for (int id = 0; id < tokenizer.size(); ++id) all.append(id);
  all.finish();
  expect(sanitize_utf8(all.text()) == all.text(), "every piece is valid UTF-8");
}

struct Folder {
  std::string config, header, data, vocabulary;  // header and data of model.safetensors, without a hash of the data
};

Folder good_folder() {
  Folder folder;
  folder.config = read_data("tiny-int8/config.json");
  folder.vocabulary = read_data("tiny-int8/vocab.spm");
  const std::string model = read_data("tiny-int8/model.safetensors");
  size_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(model[i]);
  folder.header = model.substr(8, length);
  folder.data = model.substr(8 + length);
  const size_t hash = folder.header.find("xxh64");
  if (hash != std::string::npos) folder.header.replace(hash, 5, "was__");
  return folder;
}

uint64_t number_at(std::string_view bytes, size_t at) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Writes a number over the bytes from there on, if they are there.
template <class Number>
void put(std::string& bytes, size_t at, Number number) {
  if (at + sizeof number <= bytes.size()) std::memcpy(&bytes[at], &number, sizeof number);
}

// A folder of Marian's. Its model file has special:model.yml as its last tensor.
struct MarianFolder {
  std::string head, data, yml;  // of the model file: what is in front of the tensors, they, the last of them
  std::string shortlist;        // behind its checksum
  std::string languages, source, target;
  size_t yml_length_at, yml_shape_at;  // where the head says how long that is
};

MarianFolder good_marian_folder() {
  const ModelFiles files = marian_files();
  const std::string_view model(reinterpret_cast<const char*>(files.weights.data()), files.weights.size());
  const std::string_view list(reinterpret_cast<const char*>(files.shortlist.data()), files.shortlist.size());
  const size_t items = number_at(model, 8);
  size_t data_bytes = 0, shapes_end = 16 + 32 * items;
  for (size_t item = 0, at = 16; item < items; ++item, at += 32) {
    shapes_end += number_at(model, at) + 4 * number_at(model, at + 16);
    data_bytes += number_at(model, at + 24);
  }
  const size_t yml_length_at = 16 + 32 * items - 8, head = model.size() - data_bytes;
  const size_t yml = model.size() - number_at(model, yml_length_at);
  return {std::string(model.substr(0, head)),
          std::string(model.substr(head, yml - head)),
          std::string(model.substr(yml)),
          std::string(list.substr(16)),
          files.config,
          files.vocabulary,
          files.target_vocabulary,
          yml_length_at,
          shapes_end - 4};
}

std::vector<std::byte> marian_file(const MarianFolder& folder) {
  std::string head = folder.head;
  put(head, folder.yml_length_at, uint64_t{folder.yml.size()});
  put(head, folder.yml_shape_at, static_cast<int32_t>(folder.yml.size()));
  return bytes_of(head + folder.data + folder.yml);
}

// With a checksum that fits, or nothing would come of changing the words.
std::vector<std::byte> shortlist_file(std::string_view words) {
  uint64_t sum = 0;  // Boost's hash_combine
  for (size_t at = 0; at + 8 <= words.size(); at += 8)
    sum ^= number_at(words, at) + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  std::string file(16, '\0');
  put(file, 0, uint64_t{0xF11A48D5013417F5});
  put(file, 8, sum);
  return bytes_of(file.append(words));
}

void check_tensors(const std::map<std::string, Tensor>& tensors, size_t most_bytes) {
  size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.bytes.size();
  expect(bytes <= most_bytes, "tensors do not overlap");
}

void check_config(const Config& c) {
  expect(c.encoder_heads * c.encoder_head_width <= 65536 && c.decoder_heads * c.decoder_head_width <= 65536,
         "an attention has some width");
  expect(0 <= c.eos && c.eos < c.vocabulary, "eos is a piece");
  expect(0 < c.layer_norm_eps && c.layer_norm_eps < 1, "layer_norm_eps is a small number");
}

// Splices until the input is used up: which part, where, how many bytes go, how many come, and these.
void splice(Input input, std::span<std::string* const> parts) {
  for (Choices choices(input); !choices.empty();) {
    std::string& part = *parts[choices.byte() % parts.size()];
    const size_t at = choices.number(3) % (part.size() + 1), gone = choices.byte();
    part.replace(at, gone, choices.take(choices.byte()));
  }
}

std::shared_ptr<Translation> write(Engine& engine, std::string_view text, const TranslateOptions& options) {
  auto translation = engine.start(text, options);
  for (bool more = true; !translation->done(); more = engine.step()) expect(more, "an engine with work does some");
  return translation;
}

// What pieces and weights are used for beside a translation.
void look_into(Engine& engine) {
  const auto sure = write(engine, "A ship.", {.beam = 2, .alignment = true, .scores = true});
  for (const double score : sure->scores().words.log_probabilities) expect(score <= 0, "nothing is more than certain");
  for (const Link& link : sure->alignment().words.links)
    expect(0 <= link.weight && link.weight <= 1, "a link's weight is a share");
  const auto next = write(engine, "A ship.", {.beam = 2, .prefix = "Ein", .next_words = 2});
  for (const NextWord& word : next->next_words())
    expect(sanitize_utf8(word.text) == word.text, "a word is valid UTF-8");
  write(engine, "A ship.", {.beam = 2, .glossary = "ship\tBoot"});
  const Inspection seen = engine.inspect("A ship.", std::nullopt);
  for (const auto* side : {&seen.source, &seen.target})
    for (const std::string& piece : side->pieces) expect(sanitize_utf8(piece) == piece, "a piece is valid UTF-8");
}

void translate_with(ModelFiles files) {
  tolerate({ErrorCode::kBadConfig, ErrorCode::kBadModel, ErrorCode::kBadVocabulary}, [&] {
    Engine engine(std::move(files), {.max_hypotheses = 2});
    const auto translation = write(engine, "Where is the HOUSE? 42\nA book, a ship.", {.beam = 2, .annotate = true});
    const std::string text = translation->take_text();
    expect(sanitize_utf8(text) == text, "a translation is valid UTF-8");
    expect(translation->annotated_target().text == text, "the annotated text is the text");
    tolerate({ErrorCode::kInvalidArgument}, [&] { look_into(engine); });  // a model may have too few positions
  });
}

}  // namespace

// The first byte: whether the rest is a file as it is, or header and data, of which the next two bytes tell the border.
void safetensors(Input input) {
  Choices choices(input);
  std::vector<std::byte> file;
  if (choices.byte() % 2) {
    file = bytes_of(choices.take(input.size()));
  } else {
    const std::string_view header = choices.take(choices.number(2));
    file = safetensors_file(header, choices.take(input.size()));
  }
  tolerate({ErrorCode::kBadModel}, [&] { check_tensors(parse_safetensors(file), file.size() - 1); });
}

void config(Input input) {
  tolerate({ErrorCode::kBadConfig}, [&] { check_config(parse_config(view(input))); });
}

// The first byte: whether the rest is a model file, a shortlist with a checksum or without, or special:model.yml.
void marian(Input input) {
  Choices choices(input);
  const size_t kind = choices.byte() % 4;
  const std::string_view rest = choices.take(input.size());
  std::vector<std::byte> file = kind == 1 ? shortlist_file(rest) : bytes_of(rest);
  tolerate({ErrorCode::kBadModel, ErrorCode::kBadConfig}, [&] {
    if (kind == 0) {
      const MarianModel model = parse_marian_model(file);
      expect(is_marian_model(file), "what can be read as a file of Marian's is told for one");
      check_tensors(model.tensors, file.size() - model.config.size());
    } else if (kind == 3) {
      check_config(parse_marian_config(rest, R"({"source_language": "en", "target_language": "de"})"));
    } else {
      const MarianShortlist list = parse_marian_shortlist(file);
      expect(std::is_sorted(list.offsets.begin(), list.offsets.end()) && list.offsets.back() == list.pieces(),
             "offsets ascend within the pieces");
    }
  });
}

void vocabulary(Input input) {
  tolerate({ErrorCode::kBadVocabulary}, [&] { read_and_write(Tokenizer(view(input))); });
}

void folder(Input input) {
  static const Folder good = good_folder();
  Folder folder = good;
  std::string* const parts[] = {&folder.config, &folder.header, &folder.data, &folder.vocabulary};
  splice(input, parts);
  translate_with({folder.config, safetensors_file(folder.header, folder.data), folder.vocabulary});
}

void marian_folder(Input input) {
  static const MarianFolder good = good_marian_folder();
  MarianFolder folder = good;
  std::string* const parts[] = {&folder.head,      &folder.data,   &folder.yml,   &folder.shortlist,
                                &folder.languages, &folder.source, &folder.target};
  splice(input, parts);
  translate_with(
      {folder.languages, marian_file(folder), folder.source, folder.target, shortlist_file(folder.shortlist)});
}

}  // namespace dragoman::fuzz
