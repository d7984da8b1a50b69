// Who is let into the engine, and how a batch is cut for the threads: no part past the rows that its workspace has.
#include "engine/admission.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "support.h"

using namespace dragoman;

namespace {

using Lengths = std::vector<size_t>;

Lengths rows_of_parts(const Lengths& lengths, const std::vector<size_t>& bounds) {
  Lengths rows;
  for (size_t p = 0; p + 1 < bounds.size(); ++p)
    rows.push_back(std::accumulate(&lengths[bounds[p]], &lengths[bounds[p]] + (bounds[p + 1] - bounds[p]), size_t{0}));
  return rows;
}

// The least that the longest part can have, by trying all cuts.
size_t shortest_longest(std::span<const size_t> lengths, size_t parts) {
  const size_t all = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  if (parts == 1) return all;
  size_t best = all, first = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    first += lengths[i];
    best = std::min(best, std::max(first, shortest_longest(lengths.subspan(i + 1), parts - 1)));
  }
  return best;
}

}  // namespace

TEST_CASE("a batch is shared out whole and in order, the longest part as short as can be", "[engine]") {
  CHECK(share_out({}, 3) == Lengths{0});
  CHECK(share_out(Lengths{7}, 3) == Lengths{0, 1});
  CHECK(share_out(Lengths{1, 1, 1, 9}, 2) == Lengths{0, 3, 4});
  test::Random random(21);
  for (int run = 0; run < 300; ++run) {
    Lengths lengths(random.integer(1, 7));
    for (size_t& length : lengths) length = random.integer(1, 30);
    const size_t parts = random.integer(1, 4);
    const auto bounds = share_out(lengths, parts);
    REQUIRE(bounds.front() == 0);
    REQUIRE(bounds.back() == lengths.size());
    REQUIRE(bounds.size() <= parts + 1);
    REQUIRE(std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal()) == bounds.end());
    const Lengths rows = rows_of_parts(lengths, bounds);
    REQUIRE(*std::max_element(rows.begin(), rows.end()) == shortest_longest(lengths, parts));
  }
}

TEST_CASE("no part of an admitted batch has more rows than a sentence and a share, for any lengths and threads",
          "[engine]") {
  constexpr size_t longest = 128, share = 64;
  test::Random random(22);
  for (int run = 0; run < 20'000; ++run) {
    const size_t threads = random.integer(1, 16);
    const Demand limits = {share * threads, 16, 1 << 20};
    const int spread = random.integer(1, longest);
    Demand taken;
    Lengths batch;
    while (batch.size() < 16) {
      const Demand sentence = {static_cast<size_t>(random.integer(std::max<int>(1, longest - spread), longest)), 1, 1};
      if (!is_admitted(sentence, taken, {}, limits)) break;
      taken = taken + sentence;
      batch.push_back(sentence.encoder_rows);
    }
    REQUIRE_FALSE(batch.empty());
    for (const size_t rows : rows_of_parts(batch, share_out(batch, threads)))
      REQUIRE(rows <= longest + (threads > 1 ? share : 0));
  }
}

TEST_CASE("sentences are let in while there is room, and always into an empty engine", "[engine]") {
  const Demand limits = {64, 4, 1000}, small = {10, 1, 100};
  CHECK(is_admitted({500, 4, 9999}, {}, {}, limits));      // alone
  CHECK_FALSE(is_admitted({10, 5, 100}, {}, {}, limits));  // a beam wider than there are rows
  CHECK(is_admitted({500, 1, 100}, {}, small, limits));    // first of its batch
  CHECK_FALSE(is_admitted({60, 1, 100}, small, {}, limits));
  CHECK(is_admitted({54, 3, 900}, small, {}, limits));
  CHECK_FALSE(is_admitted({54, 4, 900}, small, {}, limits));
  CHECK_FALSE(is_admitted({54, 3, 901}, small, {}, limits));
  CHECK_FALSE(is_admitted({10, 1, 901}, {}, small, limits));
  CHECK_FALSE(is_admitted({10, 3, 100}, small, small, limits));
}
