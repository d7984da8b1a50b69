#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "engine/admission.h"
#include "engine/greedy_tokens.h"
#include "search/forced_first.h"
#include "search/next_word.h"
#include "search/prefix.h"
#include "search/repetition.h"
#include "text/capitals.h"
#include "text/unicode.h"

namespace dragoman {
namespace {

// Longest sentence in source pieces: longer than nearly all that the models were trained on.
constexpr int kEncoderRows = 128;

// Source pieces of several sentences that are encoded at once: a unit of work stays short, so that a caller who steps
// can react in between, and the first words of a long text do not wait for the encoding of many sentences.
constexpr int kBatchRows = 64;

// Bounds the caches and shortlists of all sentences together (the first is always let in): long ones run fewer at a
// time.
constexpr size_t kSentenceBytes = 7 << 20;

// Pieces that the search for a next word may take.
constexpr int kLongestWord = 24;

// Of sentences with terms of a glossary: so many hypotheses, and as many more as the terms have pieces.
constexpr int kPhrasesBeam = 4;

// How far behind the likeliest hypothesis one of a beam may be (weights/README.md, "The beam"). Where next words are
// wanted, or terms of a glossary, the unlikely ones are wanted, too.
constexpr float kBeamMargin = 4;

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
  if (!shared) target_tokenizer_.emplace(files.target_vocabulary);
  check_vocabulary(source_tokenizer_, config().source_vocabulary, config(), shared ? "the" : "the source's");
  check_vocabulary(target_tokenizer(), config().vocabulary, config(), shared ? "the" : "the target's");
  // Where memory never shrinks, what comes next takes the place of the files.
  files = {};
  // The most that share_out gives a part. In the decoder sentences are shared out by number, so a part may get those
  // with the widest beams.
  const int parts = threads_.size();
  const int rows = std::max(kEncoderRows + (parts > 1 ? kBatchRows : 0), options_.max_hypotheses);
  for (int i = 0; i < parts; ++i) work_.emplace_back(config(), rows, options_.max_hypotheses);
}

std::shared_ptr<Translation> Engine::start(std::string_view text, const TranslateOptions& options) {
  check(options, options_);
  auto translation = std::make_shared<Translation>(text, config().source_language, options);
  require((!options.is_forced() && options.glossary.empty()) || target_tokenizer().has_texts(),
          ErrorCode::kInvalidArgument, "beginnings and glossaries are for models with SentencePiece's vocabularies");
  if (options.is_forced()) force(*translation);
  if (!translation->done()) queue_.push_back(translation);
  return translation;
}

Inspection Engine::inspect(std::string_view text, std::optional<std::string_view> translation) const {
  std::vector<int> source = source_tokenizer_.encode(sanitize_utf8(text)), target;
  source.push_back(config().eos);
  require(source.size() <= static_cast<size_t>(source_limit(config())), ErrorCode::kInvalidArgument,
          "the sentence has ", source.size(), " pieces; ", source_limit(config()), " are the most");
  if (translation) {
    target = target_tokenizer().encode(sanitize_utf8(*translation));
    if (config().forced_first >= 0) target.insert(target.begin(), config().forced_first);
    target.push_back(config().eos);
  } else {
    target = greedy_tokens(model_, source);
  }
  Inspection found = dragoman::inspect(model_, std::move(source), std::move(target));
  for (const int id : found.source.tokens) found.source.pieces.push_back(source_tokenizer_.piece(id));
  for (const int id : found.target.tokens) found.target.pieces.push_back(target_tokenizer().piece(id));
  return found;
}

// Gives the one sentence of a text what its translation begins with.
void Engine::force(Translation& translation) const {
  require(translation.sentences() == 1, ErrorCode::kInvalidArgument, "the text has ", translation.sentences(),
          " sentences; the beginning of a translation can be given where there is one");
  const size_t pieces = read(translation, 0).size();
  const auto most = static_cast<size_t>(std::min(kEncoderRows, source_limit(config())));
  require(pieces < most, ErrorCode::kInvalidArgument, "the sentence has ", pieces, " pieces; ", most - 1,
          " are the most where the beginning of its translation is given");
  const TranslateOptions& options = translation.options();
  translation.sentence(0).forced = std::make_shared<ForcedText>(target_tokenizer(), config(), options.prefix,
                                                                options.whole, is_in_capitals(translation.source(0)));
}

const std::vector<TokenKind>& Engine::kinds() {
  if (token_kinds_.empty()) token_kinds_ = token_kinds(target_tokenizer());
  return token_kinds_;
}

// What the glossary, if any, wants of a sentence's translation.
std::shared_ptr<const Phrases> Engine::phrases_of(const Translation& owner, size_t sentence) {
  if (owner.glossary().empty()) return nullptr;
  const std::string_view text = owner.source(sentence);
  std::vector<Phrases::Phrase> phrases;
  for (const std::string_view term : owner.glossary().translations(text, is_in_capitals(text))) {
    Phrases::Phrase phrase = {target_tokenizer().encode(term), target_tokenizer().encode(with_capital(term))};
    if (!phrase.tokens.empty() && phrases.size() < Phrases::kMost) phrases.push_back(std::move(phrase));
  }
  if (phrases.empty()) return nullptr;
  std::vector<bool> continues;
  for (const TokenKind& kind : kinds()) continues.push_back(kind.continues);
  return std::make_shared<Phrases>(std::move(phrases), std::move(continues));
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
    const auto most = static_cast<size_t>(std::min(kEncoderRows, source_limit(config())));
    while (ids.size() >= most && owner->halve(i)) ids = read(*owner, i);
    if (ids.size() >= most) {  // a single character, which only an odd vocabulary takes for so many pieces
      owner->pass(i);
      queue_.push_back(owner);
      continue;
    }
    ids.push_back(config().eos);
    const auto phrases = phrases_of(*owner, i);
    const int beam = owner->options().beam;
    const int width =
        phrases ? std::min(std::max(beam, kPhrasesBeam) + phrases->tokens(), options_.max_hypotheses) : beam;
    next_ = Waiting{owner,
                    i,
                    owner->options(),
                    is_in_capitals(owner->source(i)),
                    owner->sentence(i).forced,
                    phrases,
                    width,
                    std::move(ids),
                    {}};
    next_->shortlist = shortlist_of(*next_);
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

int Engine::Waiting::limit(const Config& config) const {
  const int own = options.next_words ? kLongestWord : target_limit(config, static_cast<int>(ids.size()));
  const int wanted =
      (forced ? static_cast<int>(forced->prefix()->tokens.size()) : 0) + (phrases ? phrases->tokens() : 0);
  return std::min({own + wanted, config.target_positions, kMaxPositions});
}

size_t Engine::bytes(const std::optional<Shortlist>& shortlist) { return shortlist ? shortlist->output.bytes() : 0; }

// What a sentence takes from its encoding to its end.
Demand Engine::demand_of(const Waiting& sentence) const {
  const int pieces = static_cast<int>(sentence.ids.size()), beam = sentence.width;
  return {sentence.ids.size(), static_cast<size_t>(beam),
          KvCache::bytes(config(), pieces) + beam * DecoderState::bytes(config(), sentence.limit(config())) +
              bytes(sentence.shortlist)};
}

// As many waiting sentences as there is room for. Empty if none.
std::vector<Engine::Waiting> Engine::take_batch() {
  const Demand limits = {kBatchRows * work_.size(), static_cast<size_t>(options_.max_hypotheses), kSentenceBytes};
  Demand running, taken;
  for (const Active& active : active_)
    running = running +
              Demand{0, active.states.size(),
                     active.cross.bytes() + active.states.size() * active.states[0].bytes() + bytes(active.shortlist)};
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

LogitsRules Engine::rules_of(const Waiting& sentence) {
  LogitsRules own, rules;
  if (config().forced_first >= 0) own.push_back(std::make_unique<ForcedFirst>(config().forced_first));
  if (!sentence.options.next_words) {
    own.push_back(std::make_unique<RepetitionRule>(allowed_repetitions(sentence.ids)));
  } else {
    own.push_back(std::make_unique<NextWordRule>(sentence.forced->prefix(), kinds(), config().eos));
  }
  if (sentence.phrases) own.push_back(std::make_unique<PhraseRule>(sentence.phrases, config().eos));
  const Sampling& sampling = sentence.options.sampling;
  if (sentence.forced)
    rules.push_back(std::make_unique<PrefixRule>(sentence.forced->prefix(), std::move(own)));
  else
    rules = std::move(own);
  if (sampling.temperature > 0)
    rules.push_back(std::make_unique<SamplingRule>(sampling, sentence.sentence, config().vocabulary));
  return rules;
}

// None where the translation may have to be of other pieces.
std::optional<Shortlist> Engine::shortlist_of(const Waiting& sentence) const {
  if (!options_.shortlist || !model_.has_shortlist() || sentence.forced || sentence.phrases) return std::nullopt;
  return model_.shortlist(sentence.ids);
}

std::optional<AttentionRecord> Engine::attention_of(const Waiting& sentence) const {
  if (!sentence.options.alignment) return std::nullopt;
  return AttentionRecord(config(), static_cast<int>(sentence.ids.size()), sentence.width, sentence.options.attention);
}

void Engine::encode(std::vector<Waiting> batch) {
  const size_t first = active_.size();
  std::vector<std::vector<int>> sources;
  std::vector<size_t> lengths;
  for (Waiting& sentence : batch) {
    const int length = static_cast<int>(sentence.ids.size()), limit = sentence.limit(config());
    const TranslateOptions& options = sentence.options;
    std::vector<DecoderState> states;
    for (int i = 0; i < sentence.width; ++i) states.emplace_back(config(), limit);
    SearchOptions search = {config().eos, limit, options.scores, options.next_words > 0};
    if (!search.by_probability && !sentence.phrases) search.margin = kBeamMargin;
    active_.push_back({std::move(sentence.owner), sentence.sentence, sentence.in_capitals, sentence.forced,
                       KvCache(config(), length), std::move(states), std::move(sentence.shortlist),
                       Beam(sentence.width, search, rules_of(sentence), sentence.phrases),
                       Detokenizer(target_tokenizer(), options.annotate), attention_of(sentence)});
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
      if (active.attention)
        step_rows_.back().attention =
            active.attention->step_row(static_cast<int>(step_rows_.size() - 1 - active.first_step_row));
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
  if (active.attention) active.attention->keep(active.search.parents());
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
  const bool finished = active.search.finished(), grew = sentence.tokens < active.search.settled();
  for (; sentence.tokens < active.search.settled(); ++sentence.tokens) active.text.append(best.tokens[sentence.tokens]);
  if (finished) active.text.finish();
  sentence.target = shown(active, active.text.text());
  if (finished || (grew && owner->options().attention)) annotate(active, sentence);
  if (!finished) return false;
  sentence.log_probabilities = best.log_probabilities;
  if (const size_t most = owner->options().next_words; most > 0) {
    sentence.next_words = next_words_of(active);
    sentence.next_words.resize(std::min(most, sentence.next_words.size()));
  } else {
    const size_t wanted = static_cast<size_t>(owner->options().beam), found = active.search.ranked().size();
    for (const Hypothesis& other : active.search.ranked().first(std::min(wanted, found)).subspan(1))
      sentence.alternatives.push_back(shown(active, detokenized(other)));
  }
  owner->finish(active.sentence);
  return true;
}

// What is known of the pieces that are settled.
void Engine::annotate(const Active& active, Sentence& sentence) const {
  const Hypothesis& best = active.search.best();
  sentence.target_pieces =
      active.forced ? active.forced->ranges(best.tokens, active.text.ranges()) : active.text.ranges();
  if (!active.attention) return;
  sentence.attention = active.attention->of(best, sentence.tokens);
  sentence.head_attention = active.attention->of_heads(best, sentence.tokens);
}

// The target as its reader sees it. written: by a Detokenizer.
std::string Engine::shown(const Active& active, const std::string& written) const {
  std::string rest(active.forced ? active.forced->rest_of(written) : written);
  if (active.in_capitals) rest = raise_to_capitals(rest);
  return active.forced ? active.forced->text() + rest : rest;
}

std::string Engine::detokenized(const Hypothesis& hypothesis) const {
  Detokenizer text(target_tokenizer());
  for (const int token : hypothesis.tokens) text.append(token);
  text.finish();
  return text.text();
}

// Likeliest first. A word that can be written in several ways is as probable as all of them together.
std::vector<NextWord> Engine::next_words_of(const Active& active) const {
  std::vector<NextWord> found;
  for (const Hypothesis& hypothesis : active.search.ranked()) {
    const std::string text = shown(active, detokenized(hypothesis)).substr(active.forced->text().size());
    const auto same = std::find_if(found.begin(), found.end(), [&](const NextWord& word) { return word.text == text; });
    NextWord& word = same == found.end() ? found.emplace_back(NextWord{text, 0}) : *same;
    word.probability += std::exp(static_cast<double>(hypothesis.log_probability));
  }
  for (NextWord& word : found) word.probability = std::round(word.probability * 1e6) / 1e6;
  std::stable_sort(found.begin(), found.end(),
                   [](const NextWord& a, const NextWord& b) { return a.probability > b.probability; });
  return found;
}

}  // namespace dragoman
