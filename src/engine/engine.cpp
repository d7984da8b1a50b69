#include "engine/engine.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/error.h"

namespace dragoman {
namespace {

// Longest sentence in source pieces: longer than nearly all that the models were trained on.
constexpr int kEncoderRows = 128;

// Source pieces of several sentences that are encoded at once: a unit of work stays short, so that a caller who steps
// can react in between, and the first words of a long text do not wait for the encoding of many sentences.
constexpr int kBatchRows = 64;

// Bounds the caches of all rows together (the first row is always let in): long sentences run fewer at a time.
constexpr size_t kCacheBytes = 8 << 20;

int limit_of(int source_pieces) { return std::min(target_limit(source_pieces), kMaxPositions); }

// Cuts the sentences into `parts` stretches of about as many pieces: part p has the sentences bounds[p] ... bounds[p +
// 1]. A sentence goes where its middle lies, so that a part is at most half a sentence at either end longer than its
// share.
std::vector<size_t> share_out(std::span<const std::vector<int>> sentences, int parts) {
  size_t total = 0, before = 0;
  for (const auto& sentence : sentences) total += sentence.size();
  std::vector<size_t> bounds(parts + 1);
  for (const auto& sentence : sentences) {
    ++bounds[(2 * before + sentence.size()) * parts / (2 * total) + 1];
    before += sentence.size();
  }
  std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
  return bounds;
}

}  // namespace

Engine::Engine(std::string_view config_json, std::vector<std::byte> model_file, std::string_view vocabulary,
               EngineOptions options)
    : options_(std::move(options)),
      tokenizer_(vocabulary),
      model_(config_json, std::move(model_file)),
      threads_(options_.threads, options_.prepare_thread) {
  require(tokenizer_.size() == config().vocabulary, ErrorCode::kBadVocabulary, "vocab.spm has ", tokenizer_.size(),
          " pieces; config.json asks for ", config().vocabulary);
  require(options_.threads >= 1, ErrorCode::kInvalidArgument, options_.threads, " threads; there has to be one");
  const int parts = threads_.size(), hypotheses = options_.max_hypotheses;
  const int rows = std::max(kEncoderRows + (parts > 1 ? kBatchRows : 0), hypotheses);
  for (int i = 0; i < parts; ++i) work_.emplace_back(config(), rows, (hypotheses + parts - 1) / parts);
}

std::shared_ptr<Translation> Engine::start(std::string_view text) {
  auto translation = std::make_shared<Translation>(text, config().source_language);
  if (!translation->done()) queue_.push_back(translation);
  return translation;
}

bool Engine::step() {
  std::erase_if(rows_, [](const Row& row) { return row.owner.expired(); });
  if (auto batch = take_batch(); !batch.empty()) {
    encode(std::move(batch));
    return true;
  }
  if (!rows_.empty()) decode();
  return !rows_.empty() || fetch_next();
}

// Makes next_ the sentence whose turn it is; false if none waits.
bool Engine::fetch_next() {
  if (next_ && !next_->owner.expired()) return true;
  next_.reset();
  while (!next_ && !queue_.empty()) {
    const auto owner = queue_.front().lock();
    queue_.pop_front();
    if (!owner) continue;
    const size_t i = owner->next_sentence();
    if (i == owner->sentences()) continue;
    std::vector<int> ids = tokenizer_.encode(owner->source(i));
    while (ids.size() >= kEncoderRows && owner->halve(i)) ids = tokenizer_.encode(owner->source(i));
    ids.push_back(config().eos);
    next_ = Waiting{owner, i, std::move(ids)};
    queue_.push_back(owner);
  }
  return next_.has_value();
}

// As many waiting sentences as there is room for: decoder rows, encoder rows, memory. Empty if none.
std::vector<Engine::Waiting> Engine::take_batch() {
  std::vector<Waiting> batch;
  size_t cache_bytes = 0, encoder_rows = 0;
  for (const Row& row : rows_) cache_bytes += row.cross.bytes() + row.self.bytes();
  while (rows_.size() + batch.size() < static_cast<size_t>(options_.max_hypotheses) && fetch_next()) {
    const int pieces = static_cast<int>(next_->ids.size());
    cache_bytes += KvCache::bytes(config(), pieces + limit_of(pieces));
    encoder_rows += pieces;
    if (!batch.empty() && encoder_rows > static_cast<size_t>(kBatchRows * threads_.size())) break;
    if (!(rows_.empty() && batch.empty()) && cache_bytes > kCacheBytes) break;
    batch.push_back(std::move(*next_));
    next_.reset();
  }
  return batch;
}

std::optional<Shortlist> Engine::shortlist_of(std::span<const int> source) const {
  if (!options_.shortlist || !model_.has_shortlist()) return std::nullopt;
  return model_.shortlist(source);
}

void Engine::encode(std::vector<Waiting> batch) {
  const size_t first = rows_.size();
  std::vector<std::vector<int>> sources;
  for (Waiting& sentence : batch) {
    const int length = static_cast<int>(sentence.ids.size()), limit = limit_of(length);
    rows_.push_back({std::move(sentence.owner),
                     sentence.sentence,
                     KvCache(config(), length),
                     KvCache(config(), limit),
                     shortlist_of(sentence.ids),
                     {},
                     Detokenizer(tokenizer_),
                     {config().eos, limit, options_.score}});
    rows_.back().hypothesis.tokens.reserve(limit);
    sources.push_back(std::move(sentence.ids));
  }
  const int parts = static_cast<int>(std::min(work_.size(), sources.size()));
  const std::vector<size_t> bounds = share_out(sources, parts);
  std::vector<RowRange> ranges(sources.size());
  threads_.run(parts, [&](int part) {
    const size_t begin = bounds[part], count = bounds[part + 1] - begin;
    if (count == 0) return;
    model_.encode({&sources[begin], count}, {&ranges[begin], count}, work_[part]);
    for (size_t i = begin; i < begin + count; ++i)
      model_.fill_cross_cache(ranges[i], work_[part], rows_[first + i].cross);
  });
}

// Writes one token of every row; finished sentences leave.
void Engine::decode() {
  step_rows_.clear();
  for (Row& row : rows_) {
    const auto& tokens = row.hypothesis.tokens;
    const Shortlist* shortlist = row.shortlist ? &*row.shortlist : nullptr;
    step_rows_.push_back({tokens.empty() ? kStart : tokens.back(), &row.cross, &row.self, shortlist});
  }
  const size_t rows = rows_.size(), parts = std::min(work_.size(), rows);
  threads_.run(static_cast<int>(parts), [&](int part) {
    const size_t begin = rows * part / parts, count = rows * (part + 1) / parts - begin;
    model_.step({&step_rows_[begin], count}, work_[part]);
    for (size_t i = 0; i < count; ++i) {
      Row& row = rows_[begin + i];
      const float* logits = work_[part].logits.row(i).data();
      const size_t choices = row.shortlist ? row.shortlist->tokens.size() : config().vocabulary;
      const auto tokens = row.shortlist ? std::span<const int>(row.shortlist->tokens) : std::span<const int>();
      extend_greedily(row.hypothesis, {logits, choices}, tokens, row.search);
    }
  });
  std::erase_if(rows_, [&](Row& row) { return publish(row); });
}

// Tells the row's owner what has become of its sentence; true when that is finished.
bool Engine::publish(Row& row) {
  const auto owner = row.owner.lock();
  if (!owner) return true;
  Sentence& sentence = owner->sentence(row.sentence);
  const Hypothesis& hypothesis = row.hypothesis;
  const int tokens = static_cast<int>(hypothesis.tokens.size());
  if (tokens > sentence.tokens) row.text.append(hypothesis.tokens.back());
  if (hypothesis.finished) row.text.finish();
  sentence.target = row.text.text();
  sentence.tokens = tokens;
  sentence.log_probability = hypothesis.log_probability;
  if (hypothesis.finished) owner->finish(row.sentence);
  return hypothesis.finished;
}

}  // namespace dragoman
