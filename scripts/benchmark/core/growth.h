#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dragoman::bench {

/// Decodes one sentence far beyond what the engine lets a translation grow to, always with the same tokens, and
/// compares the time of a token early and late. {early, late: position, earlyMs, lateMs, ratio}, medians.
nlohmann::json growth(const std::string& config_json, std::vector<std::byte> model_file);

}  // namespace dragoman::bench
