#include <algorithm>
#include <istream>
#include <ostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/model_folder.h"
#include "kernels/argmax.h"
#include "model/transformer.h"
#include "text/tokenizer.h"

namespace dragoman {

void check_shortlist(const std::string& folder, std::istream& in, std::ostream& out) {
  ModelFiles files = read_model_folder(folder);
  const Tokenizer tokenizer(files.vocabulary);
  const Transformer model(files.config, std::move(files.weights), files.shortlist);
  const Config& config = model.config();
  require(model.has_shortlist(), ErrorCode::kBadModel, folder,
          " has no shortlist: scripts/models/shortlist.py gives it one");
  Workspace work(config, kMaxPositions, 1);
  long sentences = 0, candidates = 0, steps = 0, missing = 0, changed = 0;
  for (std::string line; std::getline(in, line);) {
    std::vector<int> source = tokenizer.encode(line);
    source.push_back(config.eos);
    if (source.size() == 1 || static_cast<int>(source.size()) > source_limit(config)) continue;
    const auto tokens = model.shortlist(source).tokens;
    const int length = static_cast<int>(source.size());
    KvCache cross(config, length);
    DecoderState state(config, target_limit(config, length));
    model.fill_cross_cache(model.encode({&source, 1}, work).front(), work, cross);
    const long missing_before = missing;
    for (int token = kStart; token != config.eos && state.length() < state.capacity(); ++steps) {
      const DecoderRow row{token, &cross, &state};
      model.step({&row, 1}, work);
      token = argmax(work.logits.data(), config.vocabulary);
      missing += !std::binary_search(tokens.begin(), tokens.end(), token);
    }
    ++sentences;
    candidates += static_cast<long>(tokens.size());
    changed += missing > missing_before;
  }
  require(sentences > 0, ErrorCode::kInvalidArgument, "no sentences on standard input");
  out << "candidates a sentence: " << candidates / sentences << " of " << config.vocabulary
      << "\nlikeliest piece missing: " << missing << " of " << steps << " steps, in " << changed << " of " << sentences
      << " sentences\n";
}

}  // namespace dragoman
