// The three files of a model folder, alone and together.
#include "engine/engine.h"
#include "fuzz/support.h"
#include "io/safetensors.h"
#include "model/config.h"
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
  for (const std::string_view sentence : {"The house is small. \u00C4pfel, 4,5 \u2122 \U0001F408!", "a", " ", ""}) {
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
  tolerate({ErrorCode::kBadModel}, [&] {
    size_t bytes = 0;
    for (const auto& [name, tensor] : parse_safetensors(file)) bytes += tensor.bytes.size();
    expect(bytes < file.size(), "tensors do not overlap");
  });
}

void config(Input input) {
  tolerate({ErrorCode::kBadConfig}, [&] {
    const Config c = parse_config(view(input));
    expect(c.encoder_heads * c.encoder_head_width <= 65536 && c.decoder_heads * c.decoder_head_width <= 65536,
           "an attention has some width");
    expect(0 <= c.eos && c.eos < c.vocabulary, "eos is a piece");
    expect(0 < c.layer_norm_eps && c.layer_norm_eps < 1, "layer_norm_eps is a small number");
  });
}

void vocabulary(Input input) {
  tolerate({ErrorCode::kBadVocabulary}, [&] { read_and_write(Tokenizer(view(input))); });
}

// Splices: which part, where, how many bytes go, how many come, and these.
void folder(Input input) {
  static const Folder good = good_folder();
  Folder folder = good;
  for (Choices choices(input); !choices.empty();) {
    std::string* const parts[] = {&folder.config, &folder.header, &folder.data, &folder.vocabulary};
    std::string& part = *parts[choices.byte() % 4];
    const size_t at = choices.number(3) % (part.size() + 1), gone = choices.byte();
    part.replace(at, gone, choices.take(choices.byte()));
  }
  tolerate({ErrorCode::kBadConfig, ErrorCode::kBadModel, ErrorCode::kBadVocabulary}, [&] {
    Engine engine({folder.config, safetensors_file(folder.header, folder.data), folder.vocabulary},
                  {.max_hypotheses = 2});
    const auto translation = engine.start("Where is the HOUSE? 42\nA book, a ship.", {.beam = 2, .annotate = true});
    for (bool more = true; !translation->done(); more = engine.step()) expect(more, "an engine with work does some");
    const std::string text = translation->take_text();
    expect(sanitize_utf8(text) == text, "a translation is valid UTF-8");
    expect(translation->annotated_target().text == text, "the annotated text is the text");
  });
}

}  // namespace dragoman::fuzz
