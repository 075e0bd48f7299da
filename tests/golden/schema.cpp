// Validates a report against docs/report.schema.json.
// usage: schema SCHEMA_JSON REPORT_JSON     exit 0 when valid; problems on standard output
// otherwise
#include <iostream>

#include "support/json_schema.h"
#include "support/support.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: schema SCHEMA_JSON REPORT_JSON\n";
    return 2;
  }
  using firstfault::test::read_file;
  const auto problems = firstfault::test::validate(read_file(argv[1]), read_file(argv[2]));
  for (const std::string& problem : problems) std::cout << problem << '\n';
  return problems.empty() ? 0 : 1;
}
