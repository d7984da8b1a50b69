#include <algorithm>
#include <chrono>
#include <cstring>
#include <ostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/model_folder.h"
#include "engine/options.h"
#include "model/transformer.h"

namespace dragoman {
namespace {

constexpr int kSentence = 24;  // source pieces: an ordinary sentence
constexpr int kTarget = 24;
constexpr int kMaxRows = kMaxHypotheses;
constexpr double kSeconds = 0.5;  // a figure

// Units of work per second: repeats `work`, which does `units` of them, for a while.
template <class Work>
double rate(int units, Work work) {
  using Clock = std::chrono::steady_clock;
  work();
  const auto start = Clock::now();
  std::chrono::duration<double> elapsed{};
  long done = 0;
  while (elapsed.count() < kSeconds) {
    work();
    done += units;
    elapsed = Clock::now() - start;
  }
  return static_cast<double>(done) / elapsed.count();
}

std::vector<int> made_up_sentence(const Config& config) {
  std::vector<int> ids;
  for (int i = 0; i + 1 < kSentence; ++i)
    ids.push_back((i * 37 + 11) % std::min(config.source_vocabulary, config.vocabulary));
  ids.push_back(config.eos);
  return ids;
}

class Bench {
 public:
  explicit Bench(ModelFiles files)
      : model_(files.config, std::move(files.weights)),
        work_(model_.config(), kMaxRows * kSentence, kMaxRows),
        sentence_(made_up_sentence(model_.config())) {}

  void print(std::ostream& out) {
    check();
    out << "stage,rows,tokens_per_second\n";
    for (int sentences : {1, 4, kMaxRows}) {
      out << "encoder," << sentences * kSentence << ',' << rate(sentences * kSentence, [&] { encode(sentences); })
          << '\n';
    }
    for (int rows : {1, 4, kMaxRows})
      out << "decoder," << rows << ',' << rate(rows * kTarget, [&] { decode(rows); }) << '\n';
    out << "\nmemory,bytes\nweights," << model_.weight_bytes() << "\ncache of a sentence,"
        << KvCache::bytes(model_.config(), kSentence) +
               DecoderState::bytes(model_.config(), target_limit(model_.config(), kSentence))
        << '\n';
  }

 private:
  void encode(int sentences) { model_.encode(std::vector(sentences, sentence_), work_); }

  void decode(int rows) {
    KvCache cross(model_.config(), kSentence);
    model_.fill_cross_cache(model_.encode({&sentence_, 1}, work_).front(), work_, cross);
    std::vector<DecoderState> states(rows, DecoderState(model_.config(), kTarget));
    for (int t = 0; t < kTarget; ++t) {
      std::vector<DecoderRow> step;
      for (DecoderState& state : states) step.push_back({t == 0 ? kStart : sentence_[t - 1], &cross, &state});
      model_.step(step, work_);
    }
  }

  // A row must not depend on the rows beside it, or the figures compare different work.
  void check() {
    decode(1);
    const Vector alone = work_.logits.row(0);
    decode(kMaxRows);
    for (int r = 0; r < kMaxRows; ++r) {
      require((work_.logits.row(r) - alone).cwiseAbs().maxCoeff() < 1e-3f, ErrorCode::kBadModel, "decoder row ", r,
              " of ", kMaxRows, " differs from the same row alone");
    }
  }

  Transformer model_;
  Workspace work_;
  std::vector<int> sentence_;
};

}  // namespace

void bench(const std::string& folder, std::ostream& out) { Bench(read_model_folder(folder)).print(out); }

}  // namespace dragoman
