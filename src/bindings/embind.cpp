// What JavaScript sees of the engine: declarations, and what only this border needs, which is errors turned into
// JavaScript's, files in wasm memory and kernels of another module. Policy belongs to engine/, conveniences to web/.
#include <emscripten.h>
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "kernels/int8_product.h"

// Puts the int8 kernel of a module compiled apart (src/kernels/int8_product_relaxed.cpp) into the calling thread's
// function table, over the memory of all; returns its index. Which of its two suits this processor, the dot product's
// answer to bytes out of range tells: whether it adds up pairs in 16 bits. `in_pairs` is told so.
// clang-format off
EM_JS(size_t, add_relaxed_kernel, (const std::byte* module, size_t size, bool* in_pairs), {
  const bytes = HEAPU8.slice(module, module + size);
  const kernels = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory: wasmMemory } }).exports;
  const pairs = kernels.probe_dot(127, 255) === 2 * 32767;
  HEAPU8[in_pairs] = pairs;
  return addFunction(pairs ? kernels.accumulate_int8_pairs : kernels.accumulate_int8_dot, 'viiiiii');
});
// clang-format on

namespace dragoman {
namespace {

using emscripten::val;

// JavaScript gets an Error with a string `code`. Nothing else may leave the module: an exception that crosses the
// boundary as it is cannot be read there.
[[noreturn]] void throw_to_javascript(const char* code, const char* message) {
  val error = val::global("Error").new_(std::string(message));
  error.set("code", std::string(code));
  error.throw_();
}

template <class Function>
auto guarded(Function function) {
  try {
    return function();
  } catch (const Error& e) {
    throw_to_javascript(code_name(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    throw_to_javascript("out-of-memory", "there is not enough memory for this");
  } catch (const std::length_error&) {  // more bytes than the address space has
    throw_to_javascript("out-of-memory", "this is larger than WebAssembly's memory can be");
  } catch (const std::exception& e) {
    throw_to_javascript("internal", e.what());
  }
}

/// Bytes in wasm memory that JavaScript fills: a file goes from the network straight to where it is used.
struct Buffer {
  std::vector<std::byte> bytes;

  val view() { return val(emscripten::typed_memory_view(bytes.size(), reinterpret_cast<uint8_t*>(bytes.data()))); }
};

Buffer* make_buffer(size_t size) {
  return guarded([&] { return new Buffer{std::vector<std::byte>(size)}; });
}

std::vector<std::byte> relaxed_kernels;  // the module, for the threads to come; empty: the browser does not take it

// Function tables belong to a thread: each makes an instance of its own.
void use_relaxed_kernel() {
  if (relaxed_kernels.empty()) return;
  bool in_pairs = false;
  const size_t entry = add_relaxed_kernel(relaxed_kernels.data(), relaxed_kernels.size(), &in_pairs);
  use_int8_kernel(reinterpret_cast<AccumulateInt8>(entry), in_pairs ? Form::kWords : Form::kPlanes);
}

// From now on, and in every engine made later. Consumes the buffer's content.
void set_relaxed_kernels(Buffer& module) {
  relaxed_kernels = std::move(module.bytes);
  use_relaxed_kernel();
}

// The buffer's content, which is then gone; empty if there is no buffer.
std::vector<std::byte> take_bytes(Buffer* buffer) {
  return buffer ? std::move(buffer->bytes) : std::vector<std::byte>();
}

std::string take_text(Buffer* buffer) {
  const auto bytes = take_bytes(buffer);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The files are those of ModelFiles, the last two null where there is none. Consumes the buffers' contents. threads:
// see EngineOptions; 1 in the build without threads.
Engine* make_engine(const std::string& config, Buffer* weights, Buffer* vocabulary, Buffer* target_vocabulary,
                    Buffer* shortlist, int threads) {
  return guarded([&] {
    return new Engine({.config = config,
                       .weights = take_bytes(weights),
                       .vocabulary = take_text(vocabulary),
                       .target_vocabulary = take_text(target_vocabulary),
                       .shortlist = take_bytes(shortlist)},
                      {.threads = threads, .prepare_thread = use_relaxed_kernel});
  });
}

std::shared_ptr<Translation> start(Engine& engine, const std::string& utf8, const TranslateOptions& options) {
  return guarded([&] { return engine.start(utf8, options); });
}

bool step(Engine& engine) {
  return guarded([&] { return engine.step(); });
}

// Numbers side by side: JavaScript gets a copy, at once.
template <class T>
val typed_array(const std::vector<T>& numbers) {
  return val(emscripten::typed_memory_view(numbers.size(), numbers.data())).template call<val>("slice");
}

val ranges_array(const std::vector<TextRange>& ranges) {
  std::vector<uint32_t> flat;
  for (const auto& [begin, end] : ranges) flat.insert(flat.end(), {uint32_t(begin), uint32_t(end)});
  return typed_array(flat);
}

val parts_of(const LinkedParts& parts) {
  std::vector<double> links;
  for (const auto& [source, target, weight] : parts.links)
    links.insert(links.end(), {double(source), double(target), double(weight)});
  val object = val::object();
  object.set("source", ranges_array(parts.source));
  object.set("target", ranges_array(parts.target));
  object.set("links", typed_array(links));
  return object;
}

// Flat, as it is copied once more on its way to the page; see web/engine/alignment.js.
val alignment(const Translation& translation) {
  return guarded([&] {
    const Alignment found = translation.alignment();
    val object = val::object();
    object.set("sentences", parts_of(found.sentences));
    object.set("words", parts_of(found.words));
    object.set("pieces", parts_of(found.pieces));
    return object;
  });
}

// One array a sentence.
val head_attention(const Translation& translation) {
  return guarded([&] {
    val sentences = val::array();
    for (size_t i = 0; i < translation.sentences(); ++i)
      sentences.call<void>("push", typed_array(translation.head_attention(i)));
    return sentences;
  });
}

val scored(const ScoredParts& parts) {
  val object = val::object();
  object.set("target", ranges_array(parts.target));
  object.set("logProbabilities", typed_array(parts.log_probabilities));
  return object;
}

val scores(const Translation& translation) {
  return guarded([&] {
    const Scores found = translation.scores();
    val object = val::object();
    object.set("sentences", scored(found.sentences));
    object.set("words", scored(found.words));
    object.set("pieces", scored(found.pieces));
    return object;
  });
}

val inspected(const InspectedSide& side) {
  val object = val::object();
  object.set("tokens", typed_array(side.tokens));
  object.set("pieces", val::array(side.pieces));
  object.set("hidden", typed_array(side.hidden));
  object.set("selfAttention", typed_array(side.self_attention));
  return object;
}

// Flat, see web/engine/inspection.js. translation: UTF-8, or undefined.
val inspection(const Engine& engine, const std::string& utf8, const val& translation) {
  return guarded([&] {
    const auto given =
        translation.isUndefined() ? std::nullopt : std::optional<std::string>(translation.as<std::string>());
    const Inspection found = engine.inspect(utf8, given);
    val object = val::object();
    object.set("source", inspected(found.source));
    object.set("target", inspected(found.target));
    object.set("crossAttention", typed_array(found.cross_attention));
    object.set("logProbabilities", typed_array(found.log_probabilities));
    return object;
  });
}

// What JavaScript does not say of its options.
TranslateOptions default_options() { return {}; }

val next_words(const Translation& translation) { return val::array(translation.next_words()); }

val alternatives(const Translation& translation) { return val::array(translation.alternatives()); }

// The model's dimensions, for whoever explains it.
val shape(const Engine& engine) {
  const Config& config = engine.config();
  val object = val::object();
  object.set("width", config.width);
  object.set("encoderWidth", config.encoder_width);
  object.set("feedForward", config.encoder_ffn_width);
  object.set("encoderLayers", config.encoder_layers);
  object.set("decoderLayers", config.decoder_layers);
  object.set("encoderHeads", config.encoder_heads);
  object.set("decoderHeads", config.decoder_heads);
  object.set("vocabulary", config.vocabulary);
  return object;
}

std::string source_language(const Engine& engine) { return engine.config().source_language; }
std::string target_language(const Engine& engine) { return engine.config().target_language; }

}  // namespace

EMSCRIPTEN_BINDINGS(dragoman) {
  emscripten::function("setRelaxedKernels", &set_relaxed_kernels);

  emscripten::class_<Buffer>("Buffer")
      .constructor(&make_buffer, emscripten::allow_raw_pointers())
      .function("view", &Buffer::view);

  emscripten::value_object<Sampling>("Sampling")
      .field("temperature", &Sampling::temperature)
      .field("topK", &Sampling::top_k)
      .field("topP", &Sampling::top_p)
      .field("seed", &Sampling::seed);

  emscripten::value_object<TranslateOptions>("TranslateOptions")
      .field("beam", &TranslateOptions::beam)
      .field("alignment", &TranslateOptions::alignment)
      .field("attention", &TranslateOptions::attention)
      .field("scores", &TranslateOptions::scores)
      .field("prefix", &TranslateOptions::prefix)
      .field("whole", &TranslateOptions::whole)
      .field("nextWords", &TranslateOptions::next_words)
      .field("sampling", &TranslateOptions::sampling)
      .field("glossary", &TranslateOptions::glossary);

  emscripten::function("defaultOptions", &default_options);

  emscripten::value_object<NextWord>("NextWord")
      .field("text", &NextWord::text)
      .field("probability", &NextWord::probability);

  emscripten::class_<Translation>("Translation")
      .smart_ptr<std::shared_ptr<Translation>>("Translation")
      .function("takeText", &Translation::take_text)
      .function("done", &Translation::done)
      .function("tokens", &Translation::tokens)
      .function("sentences", &Translation::sentences)
      .function("sentencesDone", &Translation::sentences_done)
      .function("alternatives", &alternatives)
      .function("alignment", &alignment)
      .function("headAttention", &head_attention)
      .function("scores", &scores)
      .function("nextWords", &next_words);

  emscripten::class_<Engine>("Engine")
      .constructor(&make_engine, emscripten::allow_raw_pointers())
      .function("sourceLanguage", &source_language)
      .function("targetLanguage", &target_language)
      .function("shape", &shape)
      .function("start", &start)
      .function("inspect", &inspection)
      .function("step", &step);
}

}  // namespace dragoman
