#include "parser/nccl/ras_text.h"

#include <optional>
#include <string>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kTextBytes = 256;
constexpr std::string_view kGlobalHeads[] = {"INCOMPLETE", "DEAD", "TIMEOUT"};

std::string utf8(std::string_view bytes) { return to_utf8(bytes, kTextBytes, nullptr); }

struct Line {
  std::string_view text;  // without its line break
  std::uint64_t offset = 0;
  std::uint32_t number = 0;
};

// "GPU 3 managed by process 41027 on node 10.0.0.6" or "[process information not found]".
void read_place(std::string_view text, RasStatus::Odd* odd) {
  if (!consume(&text, "Process ") && !consume_until(&text, "process ")) return;
  odd->pid = consume_int(&text).value_or(-1);
  if (consume_until(&text, " on node ")) odd->node = utf8(text.substr(0, text.find(' ')));
}

std::optional<std::int32_t> consume_rank(std::string_view* text) {
  std::string_view rest = *text;
  const std::optional<std::int64_t> rank = consume_int(&rest);
  if (!rank || *rank > 1 << 30) return std::nullopt;
  *text = rest;
  return static_cast<std::int32_t>(*rank);
}

class RasReader {
 public:
  explicit RasReader(std::string_view bytes) : bytes_(bytes) {}

  std::deque<RecordItem> read() {
    Line line;
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::size_t stop = std::min(bytes_.find('\n', at), bytes_.size());
      line.text = bytes_.substr(at, stop - at);
      if (line.text.ends_with('\r')) line.text.remove_suffix(1);
      line.offset = at;
      if (line.number != UINT32_MAX) ++line.number;
      feed(line);
      at = stop + 1;
    }
    close();
    return std::move(out_);
  }

 private:
  void feed(const Line& line) {
    std::string_view text = line.text;
    if (open_ && text.starts_with("  ")) return detail(line, trim(text));
    if (open_) close();
    if (consume(&text, "NCCL version ")) return version(line, text);
    if (text.starts_with('#')) return head(line, text);
    const std::string_view word = trim(text);
    for (const std::string_view global : kGlobalHeads) {
      if (word == global) begin(line, 0, word);
    }
  }

  void version(const Line& line, std::string_view rest) {
    const std::string value = utf8(rest.substr(0, rest.find(' ')));
    if (value.empty() || value == version_) return;
    version_ = value;
    RecordItem item;
    item.record = Version{"nccl", value};
    place(line, line.offset + line.text.size(), &item);
    out_.push_back(std::move(item));
  }

  // "#0-0 (9282e5d5cfdce9a9) MISMATCH"
  void head(const Line& line, std::string_view text) {
    if (!consume_until(&text, " (")) return;
    const std::optional<std::string_view> digits = consume_until(&text, ") ");
    if (!digits) return;
    const std::optional<std::uint64_t> hash = parse_hex(*digits);
    const std::string_view status = trim(text);
    if (!hash || status.empty() || status.find(' ') != std::string_view::npos) return;
    begin(line, *hash, status);
  }

  void begin(const Line& line, std::uint64_t hash, std::string_view status) {
    open_ = true;
    first_ = line;
    end_ = line.offset + line.text.size();
    status_ = RasStatus{};
    status_.comm_hash = hash;
    status_.status = utf8(status);
    majority_ranks_ = -1;
    stated_ = false;
  }

  void detail(const Line& line, std::string_view text) {
    std::string_view rest = text;
    if (text.find(" ranks have different ") != std::string_view::npos) {
      if (stated_) {  // another statement about the same communicator
        const std::uint64_t hash = status_.comm_hash;
        const std::string status = status_.status;
        close();
        begin(line, hash, status);
      }
      stated_ = true;
      consume_until(&rest, " ranks have different ");
      const std::size_t stop = rest.find(" operation counts");
      if (stop != std::string_view::npos && rest.substr(0, stop) != "collective") {
        status_.op = utf8(rest.substr(0, stop));
      }
    } else if (consume(&rest, "Rank ")) {
      odd_rank(rest);
    } else if (rest.starts_with("Process ")) {
      RasStatus::Odd odd;
      odd.what = status_.status == "DEAD" ? "considered dead" : "not responding";
      read_place(text, &odd);
      status_.odd.push_back(std::move(odd));
    } else if (const std::optional<std::int64_t> ranks = consume_int(&rest)) {
      majority(*ranks, rest);
    }
    end_ = line.offset + line.text.size();
  }

  // "3 ranks have launched up to operation 4", "1 rank has not launched any operations"
  void majority(std::int64_t ranks, std::string_view rest) {
    std::optional<std::int64_t> launched;
    if (consume_until(&rest, "launched up to operation ")) {
      launched = consume_int(&rest);
    } else if (rest.find("not launched any operations") != std::string_view::npos) {
      launched = 0;
    }
    if (launched && ranks > majority_ranks_) {
      majority_ranks_ = ranks;
      status_.majority_launched = *launched;
    }
  }

  void odd_rank(std::string_view rest) {
    const std::optional<std::int32_t> rank = consume_rank(&rest);
    if (!rank) return;
    RasStatus::Odd odd;
    odd.rank = *rank;
    const std::size_t dashes = rest.find("-- ");
    if (dashes != std::string_view::npos) read_place(rest.substr(dashes + 3), &odd);
    std::string_view said = trim(rest.substr(0, dashes));
    if (said.empty()) {
      odd.what = "not responding";
    } else {
      consume(&said, "has ");
      odd.what = utf8(said);
      if (consume(&said, "launched up to operation ")) {
        odd.launched = consume_int(&said).value_or(-1);
      } else if (said.starts_with("not launched any")) {
        odd.launched = 0;
      }
    }
    status_.odd.push_back(std::move(odd));
  }

  void place(const Line& first, std::uint64_t end, RecordItem* item) const {
    item->quote.offset = first.offset;
    item->quote.length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first.offset, UINT32_MAX));
    item->quote.line = first.number;
    bool lossy = false;
    item->quote.text =
        to_utf8(bytes_.substr(first.offset, item->quote.length), kQuoteBytes, &lossy);
    item->quote.lossy = lossy;
  }

  void close() {
    if (!open_) return;
    open_ = false;
    RecordItem item;
    place(first_, end_, &item);
    item.record = std::move(status_);
    out_.push_back(std::move(item));
  }

  std::string_view bytes_;
  std::deque<RecordItem> out_;
  std::string version_;
  RasStatus status_;
  bool open_ = false;
  bool stated_ = false;  // the open block has its "ranks have different ..." line
  std::int64_t majority_ranks_ = -1;
  Line first_;
  std::uint64_t end_ = 0;
};

}  // namespace

std::deque<RecordItem> read_ras_text(std::string_view bytes) { return RasReader(bytes).read(); }

}  // namespace firstfault
