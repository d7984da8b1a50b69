#include "text/abbreviations.h"

#include <algorithm>
#include <array>

namespace dragoman {
namespace {

template <class... Words>
constexpr auto list(Words... words) {
  return std::array<std::string_view, sizeof...(words)>{words...};
}

constexpr auto kEnglish = list("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Jr", "Sr", "Gen", "Col", "Capt", "Lt", "Sgt",
                               "Rev", "Hon", "Gov", "Sen", "Rep", "Mt", "vs", "approx", "e.g", "i.e", "cf", "Inc",
                               "Ltd", "Corp", "Co", "Jan", "Feb", "Aug", "Sept", "Oct", "Nov", "Dec");
constexpr auto kEnglishReferences = list("No", "no", "Nos", "nos", "Fig", "fig", "Vol", "vol", "p", "pp", "Art");

constexpr auto kGerman = list("Hr", "Hrn", "Fr", "Dr", "Prof", "Dipl", "Ing", "St", "z.B", "d.h", "u.a", "bzw", "ca",
                              "vgl", "evtl", "ggf", "inkl", "zzgl", "Mio", "Mrd", "Str", "Tel", "Jh", "Chr", "geb",
                              "gest", "sog", "Jan", "Feb", "Aug", "Sept", "Okt", "Nov", "Dez");
constexpr auto kGermanReferences = list("Nr", "Art", "Abs", "Bd", "S", "Kap", "Fig", "Vol");

constexpr auto kInternational = list("Dr", "Prof", "St", "cf", "vs", "ca", "Jan", "Feb", "Nov");
constexpr auto kInternationalReferences = list("No", "no", "Nr", "Fig", "fig", "Vol", "vol", "p", "pp", "Art");

constexpr std::array kLanguages = {Abbreviations{"en", kEnglish, kEnglishReferences, false},
                                   Abbreviations{"de", kGerman, kGermanReferences, true},
                                   Abbreviations{"", kInternational, kInternationalReferences, false}};

}  // namespace

const Abbreviations& abbreviations_of(std::string_view language) {
  language = language.substr(0, language.find('-'));
  const auto speaks = [&](const Abbreviations& a) { return a.language == language; };
  const auto found = std::find_if(kLanguages.begin(), kLanguages.end(), speaks);
  return found == kLanguages.end() ? kLanguages.back() : *found;
}

}  // namespace dragoman
