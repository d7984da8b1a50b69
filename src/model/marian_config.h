#pragma once

#include <string>
#include <string_view>

#include "model/config.h"

namespace dragoman {

/// What special:model.yml says of a model of Marian's. config_json: of config.json's fields source_language and
/// target_language, which Marian's files do not tell. Throws Error(kBadConfig) naming the option that this core does
/// not run, or does not know.
Config parse_marian_config(std::string_view yml, std::string_view config_json);

/// Marian's name of a tensor of ours (MarianMT's names), e.g. encoder_l1_self_Wq of
/// model.encoder.layers.0.self_attn.q_proj.weight. The table of positions, which both sides share there, has two here:
/// encoder_Wpos and decoder_Wpos.
std::string marian_name(const Config& config, const std::string& name);

}  // namespace dragoman
