#pragma once

#include <cstddef>
#include <span>

namespace dragoman::fuzz {

using Input = std::span<const std::byte>;

/// What is fuzzed: each takes any bytes, makes of them what its part of Dragoman reads, and checks what must hold
/// whatever they are. Throws if it does not; a crash, a sanitizer's report or any exception that comes out is a
/// finding. An Error of the kinds that bad input may cause is none.
void safetensors(Input input);      // model.safetensors: header and data
void config(Input input);           // config.json
void vocabulary(Input input);       // vocab.spm, then a sentence in pieces and back
void marian(Input input);           // Marian's binary format, its shortlist, its special:model.yml
void folder(Input input);           // splices of a good model folder, then a translation
void marian_folder(Input input);    // the same of one of Marian's
void text(Input input);             // sentences, words, pieces, capitals, and all of it annotated in a translation
void moses(Input input);            // words as other tools have them, and joined again
void glossary(Input input);         // terms, and which of them a sentence has
void calls(Input input);            // what a caller may do with an engine, in any order
void shortlist_calls(Input input);  // the same where there is a shortlist, and a vocabulary for each side

}  // namespace dragoman::fuzz
