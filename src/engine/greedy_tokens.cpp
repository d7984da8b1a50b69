#include "engine/greedy_tokens.h"

#include <memory>
#include <utility>

#include "search/beam.h"
#include "search/forced_first.h"
#include "search/repetition.h"

namespace dragoman {

std::vector<int> greedy_tokens(const Transformer& model, const std::vector<int>& source) {
  const Config& config = model.config();
  const int length = static_cast<int>(source.size()), limit = target_limit(config, length);
  Workspace work(config, length, 1);
  KvCache cross(config, length);
  model.fill_cross_cache(model.encode({&source, 1}, work).front(), work, cross);
  DecoderState state(config, limit);
  LogitsRules rules;
  if (config.forced_first >= 0) rules.push_back(std::make_unique<ForcedFirst>(config.forced_first));
  rules.push_back(std::make_unique<RepetitionRule>(allowed_repetitions(source)));
  Beam search(1, {config.eos, limit}, std::move(rules));
  while (!search.finished()) {
    const std::vector<int>& tokens = search.live().front().tokens;
    const DecoderRow row{tokens.empty() ? kStart : tokens.back(), &cross, &state};
    model.step({&row, 1}, work);
    search.extend(work.logits, {});
  }
  std::vector<int> tokens = search.best().tokens;
  if (search.best().ended) tokens.push_back(config.eos);
  return tokens;
}

}  // namespace dragoman
