#include "int8_bench.h"

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "ceilings.h"
#include "random.h"
#include "timing.h"

namespace dragoman::bench {
namespace {

constexpr int kPasses = 5;  // over all shapes: what disturbs the machine for a second must not hit one of them alone
constexpr int kIssueRounds = 300;

volatile int32_t sink;  // what the ceilings compute has to go somewhere, or a compiler would leave them out

struct Shape {
  int rows, outputs, width;
};

constexpr Shape kShapes[] = {
    {1, 512, 512},  {1, 2048, 512},  {32, 2048, 512},                   // of models of the usual size
    {1, 256, 256},  {1, 1024, 256},  {1, 256, 1024},  {1, 8000, 256},   // ours, a sentence in the decoder
    {16, 256, 256}, {16, 1024, 256}, {16, 256, 1024}, {16, 8000, 256},  // a full decoder
    {64, 256, 256}, {64, 1024, 256}, {64, 256, 1024},                   // the encoder
};

// Rows of random activations.
struct Input {
  Input(const std::vector<float>& x, const Shape& s, Form form)
      : values(2 * x.size()),
        scale(s.rows),
        zero(s.rows),
        rows(quantize_rows(x.data(), s.rows, s.width, {values.data(), scale.data(), zero.data()}, form)) {}

  std::vector<uint8_t> values;
  std::vector<float> scale;
  std::vector<int32_t> zero;
  QuantizedRows rows;
};

// Random weights and activations of one shape; widths are multiples of 4.
struct Problem {
  explicit Problem(Shape s)
      : shape(s),
        weights(static_cast<size_t>(packed_bytes(s.outputs, s.width))),
        sum(s.outputs),
        x(random.reals(static_cast<size_t>(s.rows) * s.width, -2, 3)),
        bytes(x, s, Form::kBytes),
        words(x, s, Form::kWords) {
    for (int8_t& w : weights) w = static_cast<int8_t>(random.integer(-127, 127));
    std::vector<int8_t> group(static_cast<size_t>(s.width) * 4);
    pack_int8(weights.data(), s.outputs, s.width, weights.data(), sum.data(), group.data());
    scale = random.reals(s.outputs, 0.001f, 0.01f);
    bias = random.reals(s.outputs, -1, 1);
  }

  const QuantizedRows& input(Form form) const { return form == Form::kBytes ? bytes.rows : words.rows; }
  PackedInt8 matrix() const {
    return {weights.data(), scale.data(), sum.data(), shape.outputs, shape.width, shape.width};
  }

  Shape shape;
  Random random{1};
  std::vector<int8_t> weights;
  std::vector<int32_t> sum;
  std::vector<float> x;
  Input bytes, words;
  std::vector<float> scale, bias;
};

void check(const Problem& problem, const Int8Path& path) {
  const size_t size = static_cast<size_t>(problem.shape.rows) * problem.shape.outputs;
  std::vector<float> expected(size), found(size);
  int8_product_reference(problem.input(path.form), problem.matrix(), problem.bias.data(), expected.data());
  use_int8_kernel(path.kernel, path.form);
  int8_product(problem.input(path.form), problem.matrix(), problem.bias.data(), found.data());
  require(found == expected, ErrorCode::kInvalidArgument, "the product of ", problem.shape.rows, " x ",
          problem.shape.outputs, " x ", problem.shape.width, " by ", path.name, " is wrong");
}

// A shape and those who take turns at it: the stream, then for each path both arrangements of its instructions, and its
// product.
struct Round {
  Round(Shape shape, const std::vector<Int8Path>& paths, int32_t (*stream)(const int8_t*, int))
      : problem(shape), y(static_cast<size_t>(shape.rows) * shape.outputs) {
    contestants.push_back(
        {[this, stream] { sink = stream(problem.weights.data(), static_cast<int>(problem.weights.size())); }});
    for (const Int8Path& path : paths) {
      for (int arrangement : {0, 1})
        contestants.push_back({[&path, arrangement] { sink = path.issue(kIssueRounds, arrangement); }});
      contestants.push_back({[this, &path] {
        use_int8_kernel(path.kernel, path.form);
        int8_product(problem.input(path.form), problem.matrix(), problem.bias.data(), y.data());
      }});
    }
  }
  Round(const Round&) = delete;

  Problem problem;
  std::vector<float> y;
  std::vector<Contestant> contestants;
};

}  // namespace

nlohmann::json int8_products(const std::vector<Int8Path>& paths, int32_t (*stream)(const int8_t* bytes, int count)) {
  std::deque<Round> rounds;
  for (const Shape& shape : kShapes) {
    const Round& round = rounds.emplace_back(shape, paths, stream);
    for (const Int8Path& path : paths) check(round.problem, path);
  }
  for (int pass = 0; pass < kPasses; ++pass)
    for (Round& round : rounds) take_turns(round.contestants);
  use_int8_kernel(paths[0].kernel, Form::kWords);

  auto figures = nlohmann::json::array();
  for (const Round& round : rounds) {
    const auto [rows, outputs, width] = round.problem.shape;
    const double product_gops = 2e-9 * rows * outputs * width;
    const double stream_gops = product_gops / round.contestants[0].seconds;
    for (size_t p = 0; p < paths.size(); ++p) {
      const Contestant* path = &round.contestants[1 + 3 * p];
      const double issued = std::min(path[0].seconds, path[1].seconds);
      const double issue_gops = 2e-9 * kIssueRounds * kDotsInRound * paths[p].products_in_dot / issued;
      const double gops = product_gops / path[2].seconds;
      figures.push_back({{"kernel", paths[p].name},
                         {"rows", rows},
                         {"outputs", outputs},
                         {"width", width},
                         {"gops", gops},
                         {"computeGops", issue_gops},
                         {"streamGops", stream_gops},
                         {"share", gops / std::min(issue_gops, stream_gops)}});
    }
  }
  return figures;
}

}  // namespace dragoman::bench
