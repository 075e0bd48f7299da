// Fills {name} placeholders of advice and explanations.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace firstfault {

// Unknown placeholders stay as they are (a rule check refuses them); an empty value reads
// "unknown".
std::string fill_placeholders(std::string_view text,
                              const std::map<std::string, std::string>& values);

// The same for whole sentences of advice: "rank {rank}" reads "the rank in question" when it is not
// known and "ranks 3-7" when it is several.
std::string fill_phrases(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace firstfault
