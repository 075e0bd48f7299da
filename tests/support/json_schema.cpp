#include "support/json_schema.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/regex.h"

namespace firstfault::test {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 200;  // a schema that refers to itself ends here

bool is(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::vector<std::string> check(const Json& schema, const Json& value, const std::string& where,
                                 int depth) const {
    std::vector<std::string> problems;
    if (depth > kDeepest) return {at(where, "the schema nests too deeply")};
    if (schema == Json(true)) return {};
    if (!schema.is_object()) return {at(where, "the schema allows nothing here")};
    for (const auto& [keyword, rule] : schema.items()) {
      const auto known = keywords().find(keyword);
      if (known == keywords().end()) {
        problems.push_back(at(where, "the schema uses unknown keyword " + keyword));
        continue;
      }
      const Place place{schema, rule, value, where, depth};
      for (std::string& p : (this->*known->second)(place)) problems.push_back(std::move(p));
    }
    return problems;
  }

 private:
  struct Place {
    const Json &schema, &rule, &value;
    const std::string& where;
    int depth;
  };
  using Problems = std::vector<std::string>;
  using Keyword = Problems (Validator::*)(const Place&) const;

  static const std::map<std::string, Keyword>& keywords() {
    static const std::map<std::string, Keyword> kAll = {
        {"$schema", &Validator::nothing},
        {"$defs", &Validator::nothing},
        {"title", &Validator::nothing},
        {"$ref", &Validator::ref},
        {"type", &Validator::type},
        {"enum", &Validator::one_of},
        {"const", &Validator::constant},
        {"pattern", &Validator::pattern},
        {"required", &Validator::required},
        {"properties", &Validator::properties},
        {"additionalProperties", &Validator::additional},
        {"items", &Validator::items},
        {"anyOf", &Validator::any_of}};
    return kAll;
  }

  static std::string at(const std::string& where, const std::string& what) {
    return (where.empty() ? "/" : where) + ": " + what;
  }
  static std::string step(const std::string& where, const std::string& key) {
    std::string out = where + "/";
    for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
  }

  Problems nothing(const Place&) const { return {}; }

  Problems ref(const Place& p) const {
    const auto target = p.rule.get<std::string>();
    if (!target.starts_with("#/")) return {at(p.where, "unsupported $ref " + target)};
    return check(root_.at(Json::json_pointer(target.substr(1))), p.value, p.where, p.depth + 1);
  }

  Problems type(const Place& p) const {
    const Json names = p.rule.is_array() ? p.rule : Json::array({p.rule});
    for (const Json& name : names) {
      if (is(p.value, name.get<std::string>())) return {};
    }
    return {at(p.where, "should be " + p.rule.dump() + ", is " + p.value.type_name())};
  }

  Problems one_of(const Place& p) const {
    if (std::find(p.rule.begin(), p.rule.end(), p.value) != p.rule.end()) return {};
    return {at(p.where, p.value.dump() + " is not one of " + p.rule.dump())};
  }

  Problems constant(const Place& p) const {
    if (p.value == p.rule) return {};
    return {at(p.where, "should be " + p.rule.dump())};
  }

  Problems pattern(const Place& p) const {
    if (!p.value.is_string()) return {};
    auto compiled = patterns_.find(p.rule.get<std::string>());
    if (compiled == patterns_.end()) {
      const auto text = p.rule.get<std::string>();
      compiled = patterns_.emplace(text, Regex(text)).first;
    }
    if (compiled->second.search(p.value.get<std::string>())) return {};
    return {at(p.where, p.value.dump() + " does not match " + p.rule.dump())};
  }

  Problems required(const Place& p) const {
    Problems out;
    for (const Json& key : p.rule) {
      if (p.value.is_object() && !p.value.contains(key.get<std::string>()))
        out.push_back(at(p.where, "lacks " + key.dump()));
    }
    return out;
  }

  Problems properties(const Place& p) const {
    Problems out;
    if (!p.value.is_object()) return out;
    for (const auto& [key, sub] : p.rule.items()) {
      if (!p.value.contains(key)) continue;
      for (auto& q : check(sub, p.value.at(key), step(p.where, key), p.depth + 1))
        out.push_back(std::move(q));
    }
    return out;
  }

  Problems additional(const Place& p) const {
    Problems out;
    if (!p.value.is_object()) return out;
    for (const auto& [key, sub] : p.value.items()) {
      if (p.schema.contains("properties") && p.schema.at("properties").contains(key)) continue;
      if (p.rule == Json(false)) {
        out.push_back(at(p.where, "has unknown key " + Json(key).dump()));
        continue;
      }
      for (auto& q : check(p.rule, sub, step(p.where, key), p.depth + 1))
        out.push_back(std::move(q));
    }
    return out;
  }

  Problems items(const Place& p) const {
    Problems out;
    for (std::size_t i = 0; p.value.is_array() && i < p.value.size(); ++i) {
      for (auto& q : check(p.rule, p.value[i], step(p.where, std::to_string(i)), p.depth + 1))
        out.push_back(std::move(q));
    }
    return out;
  }

  Problems any_of(const Place& p) const {
    std::string why;
    for (const Json& option : p.rule) {
      const Problems problems = check(option, p.value, p.where, p.depth + 1);
      if (problems.empty()) return {};
      why += (why.empty() ? "" : " or ") + problems.front();
    }
    return {at(p.where, "fits no alternative: " + why)};
  }

  const Json& root_;
  mutable std::map<std::string, Regex> patterns_;
};

}  // namespace

std::vector<std::string> validate(std::string_view schema_json, std::string_view document_json) {
  try {
    const Json schema = Json::parse(schema_json);
    const Json document = Json::parse(document_json);
    return Validator(schema).check(schema, document, "", 0);
  } catch (const std::exception& e) {  // not JSON, a $ref into nothing, a keyword of a wrong type
    return {std::string("/: ") + e.what()};
  }
}

}  // namespace firstfault::test
