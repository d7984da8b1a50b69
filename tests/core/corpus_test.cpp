// What the fuzzers have found worth keeping (tests/fuzz), once more: natively, under the sanitizers, as WebAssembly.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fuzz/targets.h"
#include "support.h"

using namespace dragoman;

static void replay(const std::string& target, void (*run)(fuzz::Input)) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(DRAGOMAN_SOURCE_DIR "/tests/fuzz/corpus/" + target))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  REQUIRE(!paths.empty());
  run({});
  for (const std::string& path : paths) {
    INFO(path);
    REQUIRE_NOTHROW(run(test::read_bytes(path)));
  }
}

TEST_CASE("corpus: safetensors", "[corpus]") { replay("safetensors", fuzz::safetensors); }
TEST_CASE("corpus: config", "[corpus]") { replay("config", fuzz::config); }
TEST_CASE("corpus: vocabulary", "[corpus]") { replay("vocabulary", fuzz::vocabulary); }
TEST_CASE("corpus: Marian's files", "[corpus]") { replay("marian", fuzz::marian); }
TEST_CASE("corpus: model folder", "[corpus]") { replay("folder", fuzz::folder); }
TEST_CASE("corpus: Marian's model folder", "[corpus]") { replay("marian_folder", fuzz::marian_folder); }
TEST_CASE("corpus: text", "[corpus]") { replay("text", fuzz::text); }
TEST_CASE("corpus: words of Moses'", "[corpus]") { replay("moses", fuzz::moses); }
TEST_CASE("corpus: glossary", "[corpus]") { replay("glossary", fuzz::glossary); }
TEST_CASE("corpus: engine calls", "[corpus]") { replay("calls", fuzz::calls); }
TEST_CASE("corpus: engine calls, with a shortlist", "[corpus]") { replay("shortlist_calls", fuzz::shortlist_calls); }
