#include "rules/rule_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace firstfault {

namespace {

using Json = nlohmann::json;

struct File {
  std::string_view name, text;
};

// A rule that breaks the form of its section.
struct Malformed {
  std::string id, message;
};

const Json* member(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

std::string id_of(const Json& object) {
  const Json* id = member(object, "id");
  return id != nullptr && id->is_string() ? id->get<std::string>() : std::string();
}

std::string text(const Json& object, const char* key, bool required = false) {
  const Json* value = member(object, key);
  if (value == nullptr) {
    if (required) throw Malformed{id_of(object), std::string("\"") + key + "\" is missing"};
    return {};
  }
  if (!value->is_string())
    throw Malformed{id_of(object), std::string("\"") + key + "\" must be a string"};
  return value->get<std::string>();
}

std::vector<std::string> texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  const Json* value = member(object, key);
  if (value == nullptr) return out;
  if (value->is_string()) return {value->get<std::string>()};
  if (!value->is_array())
    throw Malformed{id_of(object), std::string("\"") + key + "\" must be a list of strings"};
  for (const Json& item : *value) {
    if (!item.is_string())
      throw Malformed{id_of(object), std::string("\"") + key + "\" must be a list of strings"};
    out.push_back(item.get<std::string>());
  }
  return out;
}

template <typename Enum>
Enum choice(const Json& object, const char* key, const std::map<std::string_view, Enum>& names,
            Enum otherwise) {
  const std::string value = text(object, key);
  if (value.empty()) return otherwise;
  const auto at = names.find(value);
  if (at == names.end())
    throw Malformed{id_of(object), std::string("\"") + key + "\" cannot be \"" + value + "\""};
  return at->second;
}

const std::map<std::string_view, Origin> kOrigins = {
    {"direct", Origin::direct},         {"report_of_another", Origin::report_of_another},
    {"collateral", Origin::collateral}, {"context", Origin::context},
    {"noise", Origin::noise},           {"finding", Origin::finding}};
const std::map<std::string_view, Join> kJoins = {
    {"job", Join::job},         {"host", Join::host}, {"gpu", Join::gpu},
    {"process", Join::process}, {"rank", Join::rank}, {"communicator", Join::communicator},
    {"peer", Join::peer}};

void add_class(const Json& j, RuleSet* rules) {
  ClassInfo c;
  c.id = text(j, "id", true);
  c.origin = choice(j, "origin", kOrigins, Origin::context);
  c.cause = text(j, "cause");
  c.what = text(j, "what", true);
  c.weak = j.value("weak", false);
  rules->classes.push_back(std::move(c));
}

void add_cause(const Json& j, RuleSet* rules) {
  CauseInfo c;
  c.id = text(j, "id", true);
  c.domain = text(j, "domain", true);
  c.what = text(j, "what", true);
  c.required = texts(j, "required");
  c.must_cover = texts(j, "must_cover");
  c.advice = texts(j, "advice");
  c.action = text(j, "action");
  c.action_why = text(j, "action_why");
  rules->causes.push_back(std::move(c));
}

void add_edge(const Json& j, RuleSet* rules) {
  EdgeRule e;
  e.id = text(j, "id", true);
  e.from = texts(j, "from");
  e.to = texts(j, "to");
  e.join = choice(j, "join", kJoins, Join::job);
  e.min_delay_s = j.value("min_delay_s", -5.0);
  e.max_delay_s = j.value("max_delay_s", 7200.0);
  e.why_not = text(j, "why_not", true);
  rules->edges.push_back(std::move(e));
}

void add_missing(const Json& j, RuleSet* rules) {
  rules->missing.push_back(
      {text(j, "source", true), text(j, "what", true), text(j, "why", true), text(j, "how", true)});
}

void add_equal(const Json& j, RuleSet* rules) {
  rules->equal.push_back({text(j, "name", true), text(j, "severity", true)});
}

void add_signature(const Json& j, RuleSet* rules) {
  Signature s;
  s.id = text(j, "id", true);
  s.family = text(j, "family", true);
  s.cls = text(j, "class", true);
  s.pattern = text(j, "pattern", true);
  s.anchors = texts(j, "anchors");
  s.hit = texts(j, "hit");
  s.miss = texts(j, "miss");
  s.kinds = texts(j, "kinds");
  s.doc = text(j, "doc", true);
  s.note = text(j, "note");
  rules->signatures.push_back(std::move(s));
}

struct Section {
  const char* name;
  void (*add)(const Json&, RuleSet*);
};
constexpr Section kSections[] = {{"classes", add_class}, {"causes", add_cause},
                                 {"edges", add_edge},    {"missing", add_missing},
                                 {"equal", add_equal},   {"signatures", add_signature}};

// Where the rule with this id is defined: the place of its "id" value.
std::size_t place_of(std::string_view text, const std::string& id) {
  const std::size_t at = id.empty() ? std::string_view::npos : text.find(Json(id).dump());
  return at == std::string_view::npos ? 0 : at;
}

std::pair<std::uint32_t, std::uint32_t> line_and_column(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const std::size_t begin = before.rfind('\n');
  return {line, static_cast<std::uint32_t>(offset -
                                           (begin == std::string_view::npos ? 0 : begin + 1) + 1)};
}

}  // namespace

Error located(std::string_view name, std::string_view text, std::size_t offset,
              std::string_view message) {
  const auto [line, column] = line_and_column(text, offset);
  std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  begin = begin == std::string_view::npos || offset == 0 ? 0 : begin + 1;
  std::string_view shown = text.substr(begin, text.find('\n', begin) - begin).substr(0, 160);
  std::string out(name);
  out += ':' + std::to_string(line) + ':' + std::to_string(column) + ": " + std::string(message) +
         '\n';
  out += std::string(shown) + '\n' +
         std::string(std::min<std::size_t>(column - 1, shown.size()), ' ') + '^';
  return Error{out};
}

Status add_rule_file(std::string_view name, std::string_view text, RuleSet* rules) {
  Json document;
  try {
    document = Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    std::string_view message = e.what();
    if (const std::size_t at = message.rfind(": "); at != std::string_view::npos)
      message = message.substr(at + 2);
    return located(name, text, e.byte == 0 ? 0 : e.byte - 1, message);
  }
  if (!document.is_object()) return located(name, text, 0, "a rule file is one JSON object");
  const std::size_t first = rules->signatures.size();
  for (const auto& [key, value] : document.items()) {
    if (key == "format" || key == "help" || key == "$schema") continue;
    const auto section = std::find_if(std::begin(kSections), std::end(kSections),
                                      [&](const Section& s) { return key == s.name; });
    if (section == std::end(kSections))
      return located(name, text, text.find('"' + key + '"'), "unknown section \"" + key + "\"");
    if (!value.is_array())
      return located(name, text, text.find('"' + key + '"'), "\"" + key + "\" must be a list");
    for (const Json& rule : value) {
      try {
        if (!rule.is_object()) throw Malformed{"", "a rule must be an object"};
        section->add(rule, rules);
      } catch (const Malformed& m) {
        return located(name, text, place_of(text, m.id), m.message);
      } catch (const Json::exception&) {
        const Json* id = rule.is_object() ? member(rule, "id") : nullptr;
        return located(
            name, text,
            id != nullptr && id->is_string() ? place_of(text, id->get<std::string>()) : 0,
            "a value has the wrong type");
      }
    }
  }
  for (std::size_t i = first; i < rules->signatures.size(); ++i) {
    Signature& s = rules->signatures[i];
    s.file = std::string(name);
    std::tie(s.line, s.column) = line_and_column(text, place_of(text, s.id));
  }
  return Done{};
}

}  // namespace firstfault
