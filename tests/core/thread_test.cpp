// Work shared out over threads: each part once, and the same translations as on one. (WebAssembly's build for Node has
// no threads; there the pool does all by itself, which these tests cover, too.)
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/thread_pool.h"
#include "support.h"

using namespace dragoman;

TEST_CASE("every part is done once, whatever the number of threads and parts", "[threads]") {
  for (const int threads : {1, 2, 5}) {
    std::atomic<int> prepared = 0;
    ThreadPool pool(threads, [&] { ++prepared; });
    CHECK(pool.size() == threads);
    for (int round = 0; round < 200; ++round) {
      const int parts = round % 8;
      std::vector<std::atomic<int>> done(parts);
      pool.run(parts, [&](int part) { ++done[part]; });
      for (const auto& times : done) REQUIRE(times == 1);
    }
    // The helpers may come late, but not after the counter is gone.
#ifndef __wasm__
    while (prepared < threads - 1) std::this_thread::yield();
#endif
  }
}

TEST_CASE("what a part throws reaches the caller when all parts are done, and the pool works on", "[threads]") {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> done = 0;
      const auto work = [&](int part) {
        ++done;
        if (part % 3 == 1) fail(ErrorCode::kInvalidArgument, "part ", part);
      };
      CHECK_THROWS_WITH(pool.run(2, work), "part 1");
      CHECK(done == 2);
      CHECK_THROWS_AS(pool.run(8, work), Error);  // three of them throw, in any order
      CHECK(done == 2 + 8);
      CHECK_NOTHROW(pool.run(1, work));
      CHECK(done == 2 + 8 + 1);
    }
  }
}

#ifndef __wasm__
TEST_CASE("parts run at the same time", "[threads]") {
  ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  // Each part waits for the other: on one thread this would never end.
  pool.run(2, [&](int) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  CHECK(arrived == 2);
}
#endif

static std::vector<std::string> translate_all(Engine& engine, const std::vector<std::string>& texts) {
  std::vector<std::shared_ptr<Translation>> running;
  for (const auto& text : texts) running.push_back(engine.start(text));
  while (engine.step()) {
  }
  std::vector<std::string> out;
  for (const auto& translation : running) out.push_back(translation->take_text());
  return out;
}

TEST_CASE("translations are the same on any number of threads", "[threads]") {
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) {
    texts.push_back("The garden number " + std::to_string(i) + " is large. My brother bought a new bicycle yesterday.");
    texts.push_back("Where is the train station? " + std::string(i, '!'));
    texts.push_back(
        "If you have a question about the " + std::string(1, static_cast<char>('a' + i)) +
        " train to Berlin, which leaves at nine in the morning, please ask one of our friendly guides, who will "
        "be happy to help you with all that you want to know about the city and its museums.");
  }
  const auto translate = [&](const EngineOptions& options) {
    Engine engine = test::load_engine(test::weights("en-de"), options);
    return translate_all(engine, texts);
  };
  const auto alone = translate({});
  CHECK(translate({.threads = 2}) == alone);
  CHECK(translate({.max_hypotheses = 5, .threads = 3}) == alone);
  CHECK(translate({.threads = 16}) == alone);
}

TEST_CASE("long sentences on many threads", "[threads]") {
  Engine one = test::load_engine(test::data("tiny-int8"));
  const Tokenizer tokenizer(test::read_text(test::data("tiny-int8/vocab.spm")));
  // A sentence of exactly so many pieces, eos counted.
  const auto sentence = [&](int pieces) {
    std::string text = "The garden ";
    while (static_cast<int>(tokenizer.encode(text).size()) < pieces - 1) text += '7';  // of which each is a byte piece
    REQUIRE(static_cast<int>(tokenizer.encode(text).size()) == pieces - 1);
    return text;
  };
  std::vector<std::vector<std::string>> batches(1);
  for (const int pieces : {50, 97, 97, 123, 123}) batches[0].push_back(sentence(pieces));  // one part had 194 rows
  test::Random random(23);
  for (int i = 0; i < 4; ++i) {
    batches.emplace_back();
    for (int n = random.integer(1, 20); n > 0; --n) batches.back().push_back(sentence(random.integer(10, 128)));
  }
  for (const auto& batch : batches) {
    const auto expected = translate_all(one, batch);
    for (const int threads : {2, 3, 5, 8, 16}) {
      Engine many = test::load_engine(test::data("tiny-int8"), {.threads = threads});
      CHECK(translate_all(many, batch) == expected);
    }
  }
}
