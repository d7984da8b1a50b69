#include "engine/engine.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman {
namespace {

// Longest sentence in source pieces: longer than nearly all that the models were trained on.
constexpr int kEncoderRows = 128;

// Source pieces of several sentences that are encoded at once: a unit of work stays short, so that a caller who steps
// can react in between, and the first words of a long text do not wait for the encoding of many sentences.
constexpr size_t kBatchRows = 64;

// Bounds the caches of all rows together (the first row is always let in): long sentences run fewer at a time.
constexpr size_t kCacheBytes = 8 << 20;

int limit_of(int source_pieces) { return std::min(target_limit(source_pieces), kMaxPositions); }

}  // namespace

Engine::Engine(std::string_view config_json, std::vector<std::byte> model_file, std::string_view vocabulary,
               EngineOptions options)
    : options_(options),
      tokenizer_(vocabulary),
      model_(config_json, std::move(model_file)),
      work_(model_.config(), std::max(kEncoderRows, options.max_hypotheses), options.max_hypotheses) {
  require(tokenizer_.size() == config().vocabulary, ErrorCode::kBadVocabulary, "vocab.spm has ", tokenizer_.size(),
          " pieces; config.json asks for ", config().vocabulary);
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
    if (!batch.empty() && encoder_rows > kBatchRows) break;
    if (!(rows_.empty() && batch.empty()) && cache_bytes > kCacheBytes) break;
    batch.push_back(std::move(*next_));
    next_.reset();
  }
  return batch;
}

void Engine::encode(std::vector<Waiting> batch) {
  std::vector<std::vector<int>> sources;
  for (Waiting& sentence : batch) sources.push_back(std::move(sentence.ids));
  std::vector<RowRange> ranges(batch.size());
  model_.encode(sources, ranges, work_);
  for (size_t i = 0; i < batch.size(); ++i) {
    const int limit = limit_of(ranges[i].length);
    rows_.push_back({batch[i].owner,
                     batch[i].sentence,
                     model_.cross_cache(ranges[i], work_),
                     KvCache(config(), limit),
                     {},
                     Detokenizer(tokenizer_),
                     {config().eos, limit, options_.score}});
    rows_.back().hypothesis.tokens.reserve(limit);
  }
}

// Writes one token of every row; finished sentences leave.
void Engine::decode() {
  step_rows_.clear();
  for (Row& row : rows_) {
    const auto& tokens = row.hypothesis.tokens;
    step_rows_.push_back({tokens.empty() ? kStart : tokens.back(), &row.cross, &row.self});
  }
  model_.step(step_rows_, work_);
  const float* logits = work_.logits.data();
  std::erase_if(rows_, [&](Row& row) {
    const bool finished = write(row, logits);
    logits += config().vocabulary;
    return finished;
  });
}

// Extends the row's hypothesis by a token and tells its owner; true when the sentence is finished.
bool Engine::write(Row& row, const float* logits) {
  const auto owner = row.owner.lock();
  if (!owner) return true;
  const size_t before = row.hypothesis.tokens.size();
  extend_greedily(row.hypothesis, logits, config().vocabulary, row.search);
  if (row.hypothesis.tokens.size() > before) row.text.append(row.hypothesis.tokens.back());
  if (row.hypothesis.finished) row.text.finish();
  Sentence& sentence = owner->sentence(row.sentence);
  sentence.target = row.text.text();
  sentence.tokens = static_cast<int>(row.hypothesis.tokens.size());
  sentence.log_probability = row.hypothesis.log_probability;
  if (row.hypothesis.finished) owner->finish(row.sentence);
  return row.hypothesis.finished;
}

}  // namespace dragoman
