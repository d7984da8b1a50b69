#pragma once

#include <string_view>

namespace dragoman {

/// Whether SentencePiece may follow a vocabulary's rules of normalisation (precompiled_charsmap): it does so without a
/// look at where they lead. True if there are none.
bool is_sound_charsmap(std::string_view charsmap);

}  // namespace dragoman
