// A decoder step allocates nothing: counted at operator new, and in the sanitizer build forbidden to Eigen, too.
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>

#ifndef __EMSCRIPTEN__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "support.h"

namespace {

std::atomic<long> allocations = 0, live = 0;
std::atomic<long> fails_at = -1;            // the number of the allocation for which there is no memory
std::atomic<bool> fails_from_then = false;  // nor for those that follow

bool is_short() {
  const long number = allocations++;
  return number == fails_at || (fails_from_then && fails_at >= 0 && number > fails_at);
}

}  // namespace

// Eigen asks malloc, all others operator new; in the sanitizer build both still come from there.
#ifdef __EMSCRIPTEN__
static void* take(size_t size) { return std::malloc(size); }
#else
extern "C" void* __real_malloc(size_t size);
extern "C" void* __wrap_malloc(size_t size) { return is_short() ? nullptr : __real_malloc(size); }
static void* take(size_t size) { return __real_malloc(size); }
#endif

void* operator new(size_t size) {
  void* const memory = is_short() ? nullptr : take(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  ++live;
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  live -= memory != nullptr;
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

using namespace dragoman;

static long count() { return allocations; }

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

TEST_CASE("the allocation counter counts", "[model]") {
  const long before = count();
  const std::vector<int> v(1000);
  REQUIRE(count() > before);
  REQUIRE(v.size() == 1000);
}

TEST_CASE("the alignment costs nothing where nobody asks for it", "[alignment]") {
  Engine engine = test::load_engine(test::data("tiny-int8"));
  const auto allocations_of = [&](const TranslateOptions& options) {
    const long before = count();
    test::finish(engine, *engine.start("The garden is large. Where is the house?", options));
    return count() - before;
  };
  for (const int beam : {1, 3}) {
    allocations_of({.beam = beam});  // the engine's lists grow once
    const long plain = allocations_of({.beam = beam}), aligned = allocations_of({.beam = beam, .alignment = true});
    CHECK(allocations_of({.beam = beam}) == plain);
    CHECK(aligned > allocations_of({.beam = beam, .annotate = true}));
    CHECK(allocations_of({.beam = beam, .annotate = true}) > plain);
  }
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

namespace {

// Whether `work` came to its end though the allocation `after` so many was refused, or all from there on. It may end
// by std::bad_alloc, and in no other way.
template <class Work>
bool survives(long after, bool from_then, const Work& work) {
  fails_from_then = from_then;
  fails_at = count() + after;
  try {
    work();
  } catch (const std::bad_alloc&) {
    fails_at = -1;
    return false;
  } catch (...) {
    fails_at = -1;
    throw;
  }
  fails_at = -1;
  return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__EMSCRIPTEN__)
constexpr bool kQuick = false;
#else
constexpr bool kQuick = true;
#endif

enum Outcome { kDone, kRefused, kAborted, kLeftSomething, kOther };

template <class Work>
Outcome attempt(long after, bool from_then, const Work& work) {
  const long before = live;
  try {
    const bool survived = survives(after, from_then, work);
    // Less is there when threads of an earlier test's engine, which are detached, have ended meanwhile.
    return live > before ? kLeftSomething : survived ? kDone : kRefused;
  } catch (...) {
    return kOther;
  }
}

// Attempts with each of the allocations refused, until one comes to its end: how many ended in each way. Where it takes
// its time, all of the first 300, then every 97th.
template <class Attempt>
std::map<Outcome, int> outcomes(const Attempt& attempt) {
  std::map<Outcome, int> counts;
  for (long after = 0; counts[kDone] == 0; after += kQuick || after < 300 ? 1 : 97) ++counts[attempt(after)];
  return counts;
}

}  // namespace

TEST_CASE("whichever allocation of a vocabulary's load is refused, the caller learns of it and nothing is left behind",
          "[text]") {
  const std::string vocabulary = test::read_text(test::data("tiny-int8/vocab.spm"));
  const auto load = [&] { Tokenizer tokenizer(vocabulary); };
  load();
  for (const bool from_then : {false, true}) {
    INFO("and all that follow: " << from_then);
    auto counts = outcomes([&](long after) { return attempt(after, from_then, load); });
    CHECK(counts[kRefused] > 300);
    CHECK(counts[kAborted] == 0);
    CHECK(counts[kLeftSomething] == 0);
    CHECK(counts[kOther] == 0);
  }
}

#ifndef __EMSCRIPTEN__
// In a process of its own: the JSON library's destructors allocate, and if that is refused there is no way out.
template <class Work>
Outcome attempt_apart(long after, const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch2's would say so
    if (!std::freopen("/dev/null", "w", stderr)) _exit(kOther);
    _exit(attempt(after, false, work));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return kOther;
  if (WIFEXITED(status)) return static_cast<Outcome>(WEXITSTATUS(status));
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? kAborted : kOther;
}

TEST_CASE("whichever allocation of a load is refused, it ends clearly and leaves nothing behind", "[engine]") {
  const std::string folder = test::data("tiny-int8"), config = test::read_text(folder + "/config.json");
  const std::vector<std::byte> model = test::read_bytes(folder + "/model.safetensors");
  const auto load = [&] { Transformer transformer(config, model); };
  load();
  auto counts = outcomes([&](long after) { return attempt_apart(after, load); });
  INFO(counts[kRefused] << " refused, " << counts[kAborted] << " aborted");
  CHECK(counts[kRefused] > 200);
  CHECK(counts[kAborted] < counts[kRefused] / 4);
  CHECK(counts[kLeftSomething] == 0);
  CHECK(counts[kOther] == 0);
}
#endif

TEST_CASE("whichever allocation of a translation is refused, the engine that is left serves the next", "[engine]") {
  const std::string text = "The garden is large. Where is the house?\nWHERE IS THE SEA? 42 \xFF";
  const TranslateOptions options = {.beam = 2, .scores = true};
  int failed[2] = {}, wrong = 0;
  const auto run = [&](long stride) {
    Engine engine = test::load_engine(test::data("tiny-int8"));
    const auto translate = [&] {
      const auto translation = engine.start(text, options);
      const std::string out = test::finish(engine, *translation);
      return out + translation->annotated_target().text + translation->annotated_source().text;
    };
    const std::string expected = translate();
    for (const bool from_then : {false, true}) {
      for (long after = 0; !survives(after, from_then, translate); after += after < 300 ? 1 : stride) {
        wrong += translate() != expected;
        ++failed[from_then];
      }
    }
  };
  run(1000);
  const long before = live;
  run(7);
  const long left = live - before;
  CHECK(left <= 0);
  CHECK(wrong == 0);
  CHECK(failed[0] > 600);
  CHECK(failed[1] > 600);
}
