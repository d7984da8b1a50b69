#include "engine/engine.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "engine/admission.h"
#include "search/repetition.h"
#include "text/capitals.h"

namespace dragoman {
namespace {

// Longest sentence in source pieces: longer than nearly all that the models were trained on.
constexpr int kEncoderRows = 128;

// Source pieces of several sentences that are encoded at once: a unit of work stays short, so that a caller who steps
// can react in between, and the first words of a long text do not wait for the encoding of many sentences.
constexpr int kBatchRows = 64;

// Bounds the caches of all sentences together (the first is always let in): long sentences run fewer at a time.
constexpr size_t kCacheBytes = 8 << 20;

EngineOptions checked(EngineOptions options) {
  check(options);
  return options;
}

void check_vocabulary(const Tokenizer& tokenizer, int pieces, const Config& config, const char* whose) {
  require(tokenizer.size() == pieces, ErrorCode::kBadVocabulary, whose, " vocabulary has ", tokenizer.size(),
          " pieces; the model asks for ", pieces);
  require(tokenizer.eos() == config.eos, ErrorCode::kBadVocabulary, whose, " vocabulary's end of a sentence is piece ",
          tokenizer.eos(), "; the model's is ", config.eos);
  require(config.unknown < 0 || tokenizer.unknown() == config.unknown, ErrorCode::kBadVocabulary, whose,
          " vocabulary's unknown piece is ", tokenizer.unknown(), "; the model's is ", config.unknown);
}

}  // namespace

Engine::Engine(ModelFiles files, EngineOptions options)
    : options_(checked(std::move(options))),
      source_tokenizer_(files.vocabulary),
      model_(files.config, std::move(files.weights), files.shortlist),
      threads_(options_.threads, options_.prepare_thread) {
  const bool shared = files.target_vocabulary.empty();
  require(shared == config().shared_embedding, ErrorCode::kBadVocabulary, "the model has ",
          config().shared_embedding ? "one vocabulary" : "a vocabulary for each side", ", which its files have not");
  if (!shared) target_tokenizer_.emplace(files.target_vocabulary);
  check_vocabulary(source_tokenizer_, config().source_vocabulary, config(), shared ? "the" : "the source's");
  check_vocabulary(target_tokenizer(), config().vocabulary, config(), shared ? "the" : "the target's");
  // The most that share_out gives a part. In the decoder sentences are shared out by number, so a part may get those
  // with the widest beams.
  const int parts = threads_.size();
  const int rows = std::max(kEncoderRows + (parts > 1 ? kBatchRows : 0), options_.max_hypotheses);
  for (int i = 0; i < parts; ++i) work_.emplace_back(config(), rows, options_.max_hypotheses);
}

std::shared_ptr<Translation> Engine::start(std::string_view text, const TranslateOptions& options) {
  check(options, options_);
  auto translation = std::make_shared<Translation>(text, config().source_language, options);
  if (!translation->done()) queue_.push_back(translation);
  return translation;
}

bool Engine::step() {
  std::erase_if(active_, [](const Active& active) { return active.owner.expired(); });
  if (auto batch = take_batch(); !batch.empty()) {
    encode(std::move(batch));
    return true;
  }
  if (!active_.empty()) decode();
  return !active_.empty() || fetch_next();
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
    std::vector<int> ids = read(*owner, i);
    while (ids.size() >= kEncoderRows && owner->halve(i)) ids = read(*owner, i);
    if (ids.size() >= kEncoderRows) {  // a single character, which only an odd vocabulary takes for so many pieces
      owner->pass(i);
      queue_.push_back(owner);
      continue;
    }
    ids.push_back(config().eos);
    next_ = Waiting{owner, i, owner->options(), is_in_capitals(owner->source(i)), std::move(ids)};
    queue_.push_back(owner);
  }
  return next_.has_value();
}

// What the encoder reads, without eos. Capitals are translated as small letters, and come back in publish().
std::vector<int> Engine::read(Translation& owner, size_t sentence) const {
  const std::string_view text = owner.source(sentence);
  std::vector<TextRange>* const ranges = owner.options().annotate ? &owner.sentence(sentence).source_pieces : nullptr;
  return source_tokenizer_.encode(is_in_capitals(text) ? lower_capitals(text) : text, ranges);
}

// What a sentence takes from its encoding to its end.
Demand Engine::demand_of(const Waiting& sentence) const {
  const int pieces = static_cast<int>(sentence.ids.size()), beam = sentence.options.beam;
  return {sentence.ids.size(), static_cast<size_t>(beam),
          KvCache::bytes(config(), pieces) + beam * DecoderState::bytes(config(), target_limit(pieces))};
}

// As many waiting sentences as there is room for. Empty if none.
std::vector<Engine::Waiting> Engine::take_batch() {
  const Demand limits = {kBatchRows * work_.size(), static_cast<size_t>(options_.max_hypotheses), kCacheBytes};
  Demand running, taken;
  for (const Active& active : active_)
    running = running +
              Demand{0, active.states.size(), active.cross.bytes() + active.states.size() * active.states[0].bytes()};
  std::vector<Waiting> batch;
  while (running.hypotheses + taken.hypotheses < limits.hypotheses && fetch_next()) {
    const Demand demand = demand_of(*next_);
    if (!is_admitted(demand, taken, running, limits)) break;
    taken = taken + demand;
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
  const size_t first = active_.size();
  std::vector<std::vector<int>> sources;
  std::vector<size_t> lengths;
  for (Waiting& sentence : batch) {
    const int length = static_cast<int>(sentence.ids.size()), limit = target_limit(length);
    const TranslateOptions& options = sentence.options;
    std::vector<DecoderState> states;
    for (int i = 0; i < options.beam; ++i) states.emplace_back(config(), limit);
    LogitsRules rules;
    rules.push_back(std::make_unique<RepetitionRule>(allowed_repetitions(sentence.ids)));
    active_.push_back({std::move(sentence.owner), sentence.sentence, sentence.in_capitals, KvCache(config(), length),
                       std::move(states), shortlist_of(sentence.ids),
                       Beam(options.beam, {config().eos, limit, options.score}, std::move(rules)),
                       Detokenizer(target_tokenizer(), options.annotate)});
    lengths.push_back(sentence.ids.size());
    sources.push_back(std::move(sentence.ids));
  }
  const std::vector<size_t> bounds = share_out(lengths, work_.size());
  threads_.run(static_cast<int>(bounds.size()) - 1, [&](int part) {
    const size_t begin = bounds[part], count = bounds[part + 1] - begin;
    const auto memories = model_.encode({&sources[begin], count}, work_[part]);
    for (size_t i = 0; i < count; ++i)
      model_.fill_cross_cache(memories[i], work_[part], active_[first + begin + i].cross);
  });
}

// Writes one token of every hypothesis; finished sentences leave.
void Engine::decode() {
  step_rows_.clear();
  for (Active& active : active_) {
    active.first_step_row = step_rows_.size();
    const Shortlist* shortlist = active.shortlist ? &*active.shortlist : nullptr;
    for (DecoderState* state = active.states.data(); const Hypothesis& hypothesis : active.search.live()) {
      const int last = hypothesis.tokens.empty() ? kStart : hypothesis.tokens.back();
      step_rows_.push_back({last, &active.cross, state++, shortlist});
    }
  }
  const size_t sentences = active_.size(), parts = std::min(work_.size(), sentences);
  threads_.run(static_cast<int>(parts), [&](int part) {
    const size_t begin = sentences * part / parts, end = sentences * (part + 1) / parts;
    const std::span<Active> mine(&active_[begin], end - begin);
    const size_t first = mine.front().first_step_row;
    const size_t count = mine.back().first_step_row + mine.back().search.live().size() - first;
    model_.step({&step_rows_[first], count}, work_[part]);
    for (Active& active : mine)
      choose(active, work_[part].logits.middleRows(active.first_step_row - first, active.search.live().size()));
  });
  std::erase_if(active_, [&](Active& active) { return publish(active); });
}

// Extends a sentence's hypotheses by their next tokens. logits [live, V], of which the shortlist, if any, fills the
// front.
void Engine::choose(Active& active, MatrixBlock logits) {
  if (active.shortlist)
    active.search.extend(logits.leftCols(active.shortlist->tokens.size()), active.shortlist->tokens);
  else
    active.search.extend(logits, {});
  if (!active.search.finished()) reorder(active.states, active.search.parents());
}

// Tells the owner what has become of its sentence; true when that is finished.
bool Engine::publish(Active& active) {
  const auto owner = active.owner.lock();
  if (!owner) return true;
  Sentence& sentence = owner->sentence(active.sentence);
  const Hypothesis& best = active.search.best();
  for (; sentence.tokens < active.search.settled(); ++sentence.tokens) active.text.append(best.tokens[sentence.tokens]);
  if (active.search.finished()) active.text.finish();
  const auto cased = [&](const std::string& text) { return active.in_capitals ? raise_to_capitals(text) : text; };
  sentence.target = cased(active.text.text());
  sentence.log_probability = best.log_probability;
  if (!active.search.finished()) return false;
  sentence.target_pieces = active.text.ranges();
  for (const Hypothesis& other : active.search.ranked().subspan(1)) {
    Detokenizer text(target_tokenizer());
    for (const int token : other.tokens) text.append(token);
    text.finish();
    sentence.alternatives.push_back(cased(text.text()));
  }
  owner->finish(active.sentence);
  return true;
}

}  // namespace dragoman
