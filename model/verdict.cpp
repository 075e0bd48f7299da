#include "model/verdict.h"

namespace firstfault {

namespace {
constexpr std::string_view kStatus[] = {"fault_found", "no_fault", "inconclusive"};
constexpr std::string_view kConfidence[] = {"", "possible", "likely", "certain"};
constexpr std::string_view kScope[] = {"rank", "gpu", "host", "link", "group", "job"};
}  // namespace

std::string_view name(VerdictStatus status) { return kStatus[static_cast<std::size_t>(status)]; }
std::string_view name(Confidence confidence) {
  return kConfidence[static_cast<std::size_t>(confidence)];
}
std::string_view name(Scope scope) { return kScope[static_cast<std::size_t>(scope)]; }

}  // namespace firstfault
