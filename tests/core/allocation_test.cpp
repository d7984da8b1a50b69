// A decoder step allocates nothing: counted at operator new, and in the sanitizer build forbidden to Eigen, too.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "support.h"

#ifndef __SANITIZE_ADDRESS__
namespace {
std::atomic<long> allocations = 0;
std::atomic<long> fails_at = -1;  // the number of the allocation for which there is no memory
}  // namespace

void* operator new(size_t size) {
  if (allocations++ == fails_at) throw std::bad_alloc();
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

static long count() { return allocations; }
#else
static long count() { return 0; }
#endif

using namespace dragoman;

static void forbid_eigen_malloc([[maybe_unused]] bool forbidden) {
#ifdef EIGEN_RUNTIME_NO_MALLOC
  Eigen::internal::set_is_malloc_allowed(!forbidden);
#endif
}

TEST_CASE("a decoder step allocates nothing", "[model]") {
  const bool has_ssru = GENERATE(false, true);
  const std::string languages = R"({"source_language": "en", "target_language": "de"})";
  const Transformer model =
      has_ssru ? Transformer(languages, test::read_bytes(test::data("tiny-marian/model.ende.intgemm.alphas.bin")))
               : test::load_transformer(test::data("tiny-int8"));
  Workspace work(model.config(), 16, 2);
  const std::vector<int> source = {5, 9, 77, 0};
  const KvCache cross = test::cross_cache(model, source, work);
  DecoderState self[2] = {{model.config(), 30}, {model.config(), 30}};
  for (int t = 0; t < 30; ++t) {
    const DecoderRow rows[2] = {{t ? 7 : kStart, &cross, &self[0]}, {t ? 11 : kStart, &cross, &self[1]}};
    const long before = count();
    forbid_eigen_malloc(true);
    model.step(rows, work);
    forbid_eigen_malloc(false);
    REQUIRE(count() == before);
  }
}

TEST_CASE("a step of greedy search, rules applied, allocates nothing", "[search]") {
  LogitsRules rules;
  rules.push_back(std::make_unique<RepetitionRule>(3));
  Beam beam(1, {.eos = 0, .limit = 40}, std::move(rules));
  Matrix logits(1, 100);
  for (int t = 0; t < 39; ++t) {
    logits.row(0).setLinSpaced(0, -1);
    logits(0, 1 + t % 2) = 5;  // forbidden after three times "1 2"
    logits(0, 0) = -5;         // eos
    const long before = count();
    beam.extend(logits, {});
    REQUIRE(count() == before);
  }
  REQUIRE(beam.best().tokens.size() == 39);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("the allocation counter counts", "[model]") {
  const long before = count();
  const std::vector<int> v(1000);
  REQUIRE(count() > before);
  REQUIRE(v.size() == 1000);
}

TEST_CASE("when memory is short the caller learns of it, and the next translation is fine", "[engine]") {
  const std::string text = "The garden is large. Where is the house?\nA book. The sea, the sea, and a ship.";
  Engine engine = test::load_engine(test::data("tiny-int8"), {.threads = 3});
  const std::string expected = test::finish(engine, *engine.start(text, {.beam = 2}));
  int failures = 0;
  for (long after = 0;; after += 7) {
    fails_at = count() + after;
    bool failed = false;
    try {
      test::finish(engine, *engine.start(text, {.beam = 2}));
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    fails_at = -1;
    failures += failed;
    REQUIRE(test::finish(engine, *engine.start(text, {.beam = 2})) == expected);
    if (!failed) break;
  }
  REQUIRE(failures > 100);
}
#endif
