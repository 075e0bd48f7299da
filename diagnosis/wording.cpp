#include "diagnosis/wording.h"

#include "base/text.h"
#include "rules/placeholders.h"

namespace firstfault {

namespace {

struct Row {
  std::string_view cls;
  std::string_view title;
};

constexpr Row kTitles[] = {
    {"ledger.signature_differs",
     "{Who} called {call_here}{what_here} where {others} called {call_there}{what_there} (#{seq} "
     "on {communicator})"},
    {"ledger.silent_mismatch",
     "{Who} called {call_here}{what_here} where {others} called {call_there}{what_there} (#{seq} "
     "on {communicator}); nothing failed, the data are wrong"},
    {"ledger.left_loop",
     "{Who} left the loop before its peers: {others} still wait in {call_there} #{seq} on "
     "{communicator}"},
    {"ledger.not_issued",
     "{Who} never issued {call_there} #{seq} on {communicator}, for which {others} waited"},
    {"ledger.issued_late",
     "{Who} issued {call_there} #{seq} on {communicator} only after {others} had given up"},
    {"ledger.stuck_on_gpu",
     "the GPU of {who} did not complete {call_there} #{seq} on {communicator}, which its peers "
     "completed"},
    {"ledger.not_completed",
     "{who} all issued {call_there} #{seq} on {communicator} and none completed it"},
    {"ledger.wait_cycle", "{who} wait for each other in a circle of process groups"},
    {"settings.minority", "{who}: {name}={here} where {others} have {name}={there}"},
    {"versions.minority", "{who}: {name} {here} where {others} have {name} {there}"},
    {"coll.fingerprint_mismatch", "{Who} issued another collective than its peers"},
    {"coll.barrier_missing", "{Who} did not come to the barrier"},
    {"app.exception", "{Who} raised an exception: {text}"},
    {"app.killed", "{Who} was killed from outside ({signal})"},
    {"app.segfault", "{Who} crashed"},
    {"app.data_loader", "a data-loader worker of {who} died"},
    {"app.exit_nonzero", "{Who} ended with a non-zero exit code and said nothing else"},
    {"kernel.oom_kill", "the kernel killed a process of {who} for memory"},
    {"hypothesis.unobserved_fault",
     "only echoes speak{about}: what failed first is not in the input"},
};

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 160)));
}

}  // namespace

std::string communicator_name(const Communicator& c) {
  if (!c.pg_desc.empty()) return c.pg_desc;
  if (!c.pg_name.empty()) return "group " + c.pg_name;
  return c.id + " (" + std::to_string(c.size) + " ranks)";
}

std::string ranks_text(const RankSet& ranks) {
  if (ranks.empty()) return "an unknown rank";
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks.str();
}

std::map<std::string, std::string> placeholder_values(const Attempt& attempt, const Node& node) {
  std::map<std::string, std::string> v;
  v["rank"] = v["ranks"] = node.subjects.str();
  std::string who = ranks_text(node.subjects);
  if (node.subjects.empty())
    who = !node.host.empty()  ? "host " + node.host
          : !node.pci.empty() ? "GPU " + node.pci
                              : "a process";
  v["who"] = who;
  v["Who"] = who;
  v["others"] = node.others.empty() ? "its peers" : ranks_text(node.others);
  v["host"] = node.host;
  v["gpu"] = node.pci;
  v["seq"] = node.seq >= 0 ? std::to_string(node.seq) : "";
  v["about"] = node.subjects.empty() ? "" : " (about " + who + ")";
  const Communicator* c = attempt.communicator(node.communicator);
  v["communicator"] = c == nullptr ? "" : communicator_name(*c);
  for (const Capture& capture : node.captures) v.emplace(capture.name, capture.value);
  v["op"] = v["call_there"];
  if (v["call_here"] == v["call_there"] && !v["field"].empty()) {
    v["what_here"] = " with " + v["field"] + " " + v["here"];
    v["what_there"] = " with " + v["field"] + " " + v["there"];
  } else {
    v["what_here"] = v["what_there"] = "";
    v.try_emplace("what_here");
  }
  if (v["text"].empty() && !node.evidence.empty()) v["text"] = node.evidence[0].quote.text;
  v["text"] = first_line(v["text"]);
  return v;
}

std::string title_of(const Attempt& attempt, const Node& node) {
  const auto values = placeholder_values(attempt, node);
  // Empty parts of a sentence stay empty instead of "unknown".
  auto spoken = values;
  for (const char* part : {"what_here", "what_there", "about"}) {
    if (spoken[part].empty()) spoken[part] = "\x01";
  }
  std::string out;
  for (const Row& row : kTitles) {
    if (row.cls == node.cls->id) out = fill_placeholders(row.title, spoken);
  }
  if (out.empty()) out = fill_placeholders("{who}: " + node.cls->what, spoken);
  std::erase(out, '\x01');
  return out;
}

std::string sentence_of(const Attempt& attempt, const Node& node) {
  if (node.kind == "finding" || node.kind == "hypothesis") return title_of(attempt, node);
  const RankSet& who = node.reporters.empty() ? node.subjects : node.reporters;
  return ranks_text(who) + ": " + node.cls->what;
}

}  // namespace firstfault
