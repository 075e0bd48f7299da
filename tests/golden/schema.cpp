// Validates a report against docs/report.schema.json. Understands the keywords that schema uses and
// refuses others, so that a new keyword cannot pass unchecked. usage: schema SCHEMA_JSON
// REPORT_JSON     exit 0 when valid; problems on standard output otherwise
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

class Validator {
 public:
  explicit Validator(const Json& schema) : root_(schema) {}

  void check(const Json& schema, const Json& value, const std::string& where) {
    for (const auto& [keyword, rule] : schema.items()) apply(keyword, rule, schema, value, where);
  }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void apply(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
             const std::string& where) {
    if (keyword == "$schema" || keyword == "title" || keyword == "$defs") return;
    if (keyword == "$ref") {
      check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, where);
    } else if (keyword == "type") {
      const Json names = rule.is_array() ? rule : Json::array({rule});
      bool fits = false;
      for (const Json& name : names) fits = fits || is(value, name.get<std::string>());
      if (!fits) say(where, "should be " + rule.dump() + ", is " + value.type_name());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        say(where, value.dump() + " is not one of " + rule.dump());
    } else if (keyword == "const") {
      if (value != rule) say(where, "should be " + rule.dump());
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) {
        say(where, value.dump() + " does not match " + rule.dump());
      }
    } else if (keyword == "required") {
      for (const Json& key : rule) {
        if (value.is_object() && !value.contains(key.get<std::string>()))
          say(where, "lacks " + key.dump());
      }
    } else if (keyword == "properties") {
      for (const auto& [key, sub] : rule.items()) {
        if (value.is_object() && value.contains(key)) check(sub, value.at(key), where + "/" + key);
      }
    } else if (keyword == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& [key, sub] : value.items()) {
        if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
        if (rule == Json(false)) say(where, "has unknown key \"" + key + "\"");
        if (rule.is_object()) check(rule, sub, where + "/" + key);
      }
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(rule, value[i], where + "/" + std::to_string(i));
    } else if (keyword == "anyOf") {
      std::string why;
      for (const Json& option : rule) {
        Validator one(root_);
        one.check(option, value, where);
        if (one.problems().empty()) return;
        why += (why.empty() ? "" : " or ") + one.problems().front();
      }
      say(where, "fits no alternative: " + why);
    } else {
      say(where, "the schema uses unknown keyword \"" + keyword + "\"");
    }
  }

  static bool is(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == value.type_name();
  }

  void say(const std::string& where, const std::string& what) {
    problems_.push_back((where.empty() ? "/" : where) + ": " + what);
  }

  const Json& root_;
  std::vector<std::string> problems_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: schema SCHEMA_JSON REPORT_JSON\n";
    return 2;
  }
  std::ifstream schema_file(argv[1]), report_file(argv[2]);
  const Json schema = Json::parse(schema_file);
  Validator validator(schema);
  validator.check(schema, Json::parse(report_file), "");
  for (const std::string& problem : validator.problems()) std::cout << problem << '\n';
  return validator.problems().empty() ? 0 : 1;
}
