// The catalogue as compiled into the binary (generated from rules/catalog/*.json).
#pragma once
#include <span>
#include <string_view>

namespace firstfault {

struct BuiltInFile {
  std::string_view name, text;
};
std::span<const BuiltInFile> built_in_rule_files();

}  // namespace firstfault
