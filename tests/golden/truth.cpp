// Compares a report with the labelled truth of a case.
// usage: truth CASE_JSON REPORT_JSON     exit 0 when the verdict is right, 1 when not
// A verdict that is `certain` and wrong in any labelled field fails like any other wrong one, and
// says so.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

Json load(const char* path) {
  std::ifstream in(path);
  return Json::parse(in);
}

Json at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json(nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: truth CASE_JSON REPORT_JSON\n";
    return 2;
  }
  const Json truth = load(argv[1]).at("truth");
  const Json verdict = load(argv[2]).at("verdict");
  const Json first = at(verdict, "first_failure");
  std::vector<std::string> wrong;
  const std::string want = truth.at("cause");
  if (want == "none") {
    if (verdict.at("status") != "no_fault")
      wrong.push_back("status " + verdict.at("status").dump() + ", should be no_fault");
  } else if (verdict.at("cause") != want) {
    wrong.push_back("cause " + verdict.at("cause").dump() + ", should be " + want);
  }
  for (const char* key : {"rank", "ranks", "host", "seq"}) {
    const Json expected = at(at(truth, "first_failure"), key);
    if (expected.is_null()) continue;
    const Json found = at(first, key);
    if (found != expected)
      wrong.push_back(std::string(key) + " " + found.dump() + ", should be " + expected.dump());
  }
  for (const std::string& w : wrong) std::cout << w << '\n';
  if (!wrong.empty() && verdict.at("confidence") == "certain")
    std::cout << "and it was called certain\n";
  return wrong.empty() ? 0 : 1;
}
