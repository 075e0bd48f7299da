#include "parser/nccl/ras_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "parser/dumps/json_document.h"

namespace firstfault {

namespace {

constexpr std::size_t kTextBytes = 256;

// A rank's entry, answering or missing.
struct Rank {
  RasStatus::Odd who;
  std::int64_t async_error = 0;
  bool dead = false;
  Value counts;
};

class AnswerReader {
 public:
  AnswerReader(const Document& doc, std::string_view bytes, std::uint64_t offset)
      : doc_(doc), bytes_(bytes), offset_(offset) {}

  void read(std::deque<RecordItem>* out) {
    out_ = out;
    if (const std::string version = text(doc_.root(), "nccl_version"); !version.empty()) {
      add(doc_.root(), "nccl_version", Version{"nccl", version});
      out_->back().quote.length = 0;  // the place is the answer as a whole
    }
    const Value* all = doc_.find(doc_.root(), "communicators");
    if (all == nullptr || !all->is(ValueKind::list)) return;
    Children each = doc_.children(*all);
    for (std::size_t i = 0; const Value* comm = each.next(); ++i) {
      if (comm->is(ValueKind::dict) && doc_.closed(*comm))
        communicator(*comm, "communicators[" + std::to_string(i) + "]");
    }
  }

 private:
  std::string text(const Value& dict, std::string_view key) const {
    const Value* v = doc_.find(dict, key);
    return v == nullptr ? std::string() : to_utf8(doc_.text(*v), kTextBytes, nullptr);
  }

  std::int64_t number(const Value& dict, std::string_view key, std::int64_t none) const {
    const Value* v = doc_.find(dict, key);
    return v == nullptr ? none : doc_.number(*v).value_or(none);
  }

  std::vector<Rank> ranks(const Value& comm, std::string_view key) const {
    std::vector<Rank> out;
    const Value* list = doc_.find(comm, key);
    if (list == nullptr || !list->is(ValueKind::list)) return out;
    Children each = doc_.children(*list);
    while (const Value* entry = each.next()) {
      if (!entry->is(ValueKind::dict)) continue;
      Rank r;
      const std::int64_t number_of = number(*entry, "rank", -1);
      if (number_of < 0 || number_of > 1 << 30) continue;
      r.who.rank = static_cast<std::int32_t>(number_of);
      r.who.pid = number(*entry, "pid", -1);
      r.who.node = text(*entry, "host");
      if (const Value* status = doc_.find(*entry, "status")) {
        r.async_error = number(*status, "async_error", 0);
        r.dead = number(*status, "considered_dead", 0) != 0;
      }
      if (const Value* counts = doc_.find(*entry, "collective_counts")) r.counts = *counts;
      out.push_back(std::move(r));
    }
    return out;
  }

  void communicator(const Value& comm, const std::string& path) {
    RasStatus status;
    status.comm_hash = parse_hex(text(comm, "hash")).value_or(0);
    const std::vector<Rank> answered = ranks(comm, "ranks");
    counts(comm, path, status, answered);
    status.status = "INCOMPLETE";
    for (const Rank& r : ranks(comm, "missing_ranks")) {
      status.odd.push_back(r.who);
      status.odd.back().what = r.dead ? "considered dead" : "not responding";
    }
    if (!status.odd.empty()) add(comm, path, status);
    status.status = "ERROR";
    status.odd.clear();
    for (const Rank& r : answered) {
      if (r.async_error == 0) continue;
      status.odd.push_back(r.who);
      status.odd.back().what = "reported NCCL error " + std::to_string(r.async_error);
    }
    if (!status.odd.empty()) add(comm, path, status);
  }

  // How often each rank launched each function, the rank beside the count.
  void counts(const Value& comm, const std::string& path, const RasStatus& empty,
              const std::vector<Rank>& answered) {
    std::map<std::string, std::vector<std::pair<std::size_t, std::int64_t>>> by_function;
    for (std::size_t i = 0; i < answered.size(); ++i) {
      Children pairs = doc_.children(answered[i].counts);
      if (!answered[i].counts.is(ValueKind::dict)) continue;
      while (const Value* key = pairs.next()) {
        const Value* value = pairs.next();
        const std::optional<std::int64_t> n = doc_.number(*value);
        if (!n || *n < 0 || (by_function.size() >= kMaxFunctions && !known(by_function, *key)))
          continue;
        by_function[to_utf8(doc_.text(*key), 64, nullptr)].emplace_back(i, *n);
      }
    }
    for (const auto& [function, launched] : by_function) {
      RasStatus status = empty;
      status.status = "MISMATCH";
      status.op = function;
      status.majority_launched = majority(launched);
      for (const auto& [rank, n] : launched) {
        if (n == status.majority_launched) continue;
        status.odd.push_back(answered[rank].who);
        status.odd.back().launched = n;
        status.odd.back().what = n == 0 ? "not launched any operations"
                                        : "launched up to operation " + std::to_string(n);
      }
      if (!status.odd.empty()) add(comm, path, status);
    }
  }

  template <typename Map>
  bool known(const Map& map, const Value& key) const {
    return map.contains(to_utf8(doc_.text(key), 64, nullptr));
  }

  // The count that most ranks have; of several the largest.
  static std::int64_t majority(const std::vector<std::pair<std::size_t, std::int64_t>>& launched) {
    std::map<std::int64_t, std::size_t> votes;
    for (const auto& [rank, n] : launched) ++votes[n];
    std::int64_t best = -1;
    std::size_t most = 0;
    for (const auto& [n, ranks] : votes) {
      if (ranks < most) continue;
      best = n;
      most = ranks;
    }
    return best;
  }

  void add(const Value& at, const std::string& path, Record record) {
    RecordItem item;
    const std::uint64_t begin = doc_.begin(at), end = std::max(begin, doc_.end(at));
    item.quote.offset = offset_ + begin;
    item.quote.length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, UINT32_MAX));
    item.quote.record = path;
    if (const auto* status = std::get_if<RasStatus>(&record)) {
      item.quote.text = said(*status);
    } else {
      item.quote.text = to_utf8(bytes_.substr(begin, end - begin), 80, nullptr);
    }
    item.record = std::move(record);
    out_->push_back(std::move(item));
  }

  static std::string said(const RasStatus& status) {
    std::string out = hex(status.comm_hash) + " " + status.status;
    if (!status.op.empty())
      out += " " + status.op + ": most ranks launched " + std::to_string(status.majority_launched);
    for (const RasStatus::Odd& odd : status.odd) {
      out += ", rank " + std::to_string(odd.rank) + " " + odd.what;
      if (out.size() > kQuoteBytes) break;
    }
    return to_utf8(out, kQuoteBytes, nullptr);
  }

  static constexpr std::size_t kMaxFunctions = 32;
  const Document& doc_;
  std::string_view bytes_;
  std::uint64_t offset_;
  std::deque<RecordItem>* out_ = nullptr;
};

std::size_t answer_at(std::string_view bytes, std::size_t from) {
  return bytes.find('{', std::min(from, bytes.size()));
}

}  // namespace

bool is_ras_json(std::string_view head) {
  head = trim(head);
  if (consume(&head, "OK")) head = trim(head);
  return head.starts_with('{') && head.find("\"nccl_version\"") != std::string_view::npos &&
         head.find("\"communicators") != std::string_view::npos;
}

std::deque<RecordItem> read_ras_json(std::string_view bytes) {
  std::deque<RecordItem> out;
  for (std::size_t at = answer_at(bytes, 0); at != std::string_view::npos;) {
    const std::string_view answer = bytes.substr(at);
    const Result<Document> doc = read_json(answer);
    if (!doc || !doc->root().is(ValueKind::dict)) break;
    AnswerReader(*doc, answer, at).read(&out);
    if (doc->truncated() || doc->end(doc->root()) == 0) break;
    at = answer_at(bytes, at + doc->end(doc->root()));
  }
  return out;
}

}  // namespace firstfault
