// Validates JSON against the part of JSON Schema (draft 2020-12) that the project's schemas use:
// type, enum, const, pattern, required, properties, additionalProperties, items, anyOf, $ref to
// #/$defs/... Any other keyword is a problem of its own, so that a new one cannot pass unchecked.
//
//   validate(R"({"type": "integer"})", "\"x\"")   // {"/: should be \"integer\", is string"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstfault::test {

// Problems in document order of the schema's keywords, each "JSON-POINTER: what"; empty when valid.
// Text that is not JSON, or a broken schema, is a problem too.
std::vector<std::string> validate(std::string_view schema_json, std::string_view document_json);

}  // namespace firstfault::test
