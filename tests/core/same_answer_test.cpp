// The same text everywhere: by each int8 kernel, on one thread and on several, natively and as WebAssembly.
//   build/native/core_tests '[table]'                       writes tests/data/translations-*.txt anew, for new weights
//   DRAGOMAN_SENTENCES=FILE build/native/core_tests '[same]'  compares kernels and threads on any lines of English
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels/int8_product.h"
#include "support.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace dragoman;

namespace {

using Lines = std::vector<std::string>;

struct Way {
  const char* name;
  AccumulateInt8 kernel;
  Form wide;
  int threads;
};

// In a browser the other kernels are a module of their own: tests/web/relaxed-kernels.test.mjs.
const std::vector<Way> kWays = {
    {"plain, one thread", accumulate_int8_simd128, Form::kWords, 1},
#ifndef __EMSCRIPTEN__
    {"pairs, three threads", accumulate_int8_pairs, Form::kWords, 3},
    {"dot, two threads", accumulate_int8_dot, Form::kPlanes, 2},
#endif
};

Lines lines_of(const std::string& path) {
  Lines lines;
  std::istringstream text(test::read_text(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Lines english() {
  Lines lines = lines_of(DRAGOMAN_SOURCE_DIR "/scripts/benchmark/en200.txt");
#ifdef __SANITIZE_ADDRESS__
  lines.resize(5);  // they find nothing in the others, and take minutes
#endif
  return lines;
}

Lines translate(const std::string& direction, const Lines& lines, const Way& way) {
  use_int8_kernel(way.kernel, way.wide);
  Engine engine =
      test::load_engine(test::weights(direction),
                        {.threads = way.threads, .prepare_thread = [&way] { use_int8_kernel(way.kernel, way.wide); }});
  std::vector<std::shared_ptr<Translation>> started;
  for (const std::string& line : lines) started.push_back(engine.start(line));
  Lines translations;
  for (const auto& translation : started) translations.push_back(test::finish(engine, *translation));
  return translations;
}

std::string hash(const std::string& text) {
  std::ostringstream hex;
  hex << std::hex << XXH64(text.data(), text.size(), 0);
  return hex.str();
}

std::string table(const std::string& direction) { return test::data("translations-" + direction + ".txt"); }

// What a way makes of the English lines, and of their translations on the way back.
template <class Each>
void there_and_back(const Way& way, Each each) {
  Lines lines = english();
  for (const std::string direction : {"en-de", "de-en"}) {
    const Lines translations = translate(direction, lines, way);
    each(direction, lines, translations);
    lines = translations;
  }
}

}  // namespace

TEST_CASE("the same text everywhere", "[weights]") {
  for (const Way& way : kWays) {
    there_and_back(way, [&](const std::string& direction, const Lines& lines, const Lines& translations) {
      const Lines expected = lines_of(table(direction));
      REQUIRE(expected.size() >= lines.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        INFO(way.name << ", " << direction << ": " << lines[i] << " -> " << translations[i]);
        CHECK(hash(translations[i]) == expected[i]);
      }
    });
  }
  use_int8_kernel(kWays.front().kernel, kWays.front().wide);
}

TEST_CASE("write the table of translations", "[.][table]") {
  there_and_back(kWays.front(), [](const std::string& direction, const Lines&, const Lines& translations) {
    std::ofstream file(table(direction));
    for (const std::string& translation : translations) file << hash(translation) << '\n';
    REQUIRE(file.good());
  });
}

TEST_CASE("the same text on any lines", "[.][same]") {
  const char* path = std::getenv("DRAGOMAN_SENTENCES");
  REQUIRE(path);
  const Lines lines = lines_of(path), expected = translate("en-de", lines, kWays.front());
  for (const Way& way : kWays) {
    INFO(way.name);
    CHECK(translate("en-de", lines, way) == expected);
  }
}
