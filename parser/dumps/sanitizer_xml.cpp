#include "parser/dumps/sanitizer_xml.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxItems = 4096, kMaxDepth = 32, kTextBytes = 512;

enum Field {
  kText,
  kFunction,
  kPath,
  kLine,
  kPc,
  kThreadX,
  kThreadY,
  kThreadZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kResult,
  kErrorName,
  kMessage,
  kApi,
  kFields,
};

// Where a field stands inside a record.
struct FieldRow {
  std::string_view path;
  Field field;
};
constexpr FieldRow kRows[] = {
    {"what/text", kText},
    {"what/result", kResult},
    {"what/error", kErrorName},
    {"what/message", kMessage},
    {"what/api", kApi},
    {"where/func", kFunction},
    {"where/path", kPath},
    {"where/line", kLine},
    {"where/pc", kPc},
    {"who/threadIdx/x", kThreadX},
    {"who/threadIdx/y", kThreadY},
    {"who/threadIdx/z", kThreadZ},
    {"who/blockIdx/x", kBlockX},
    {"who/blockIdx/y", kBlockY},
    {"who/blockIdx/z", kBlockZ},
};

struct Entity {
  std::string_view name;
  char value;
};
constexpr Entity kEntities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

std::string plain(std::string_view text) {
  text = trim(text.substr(0, 4 * kTextBytes));
  std::string out;
  while (!text.empty()) {
    const auto* e = std::find_if(std::begin(kEntities), std::end(kEntities),
                                 [&](const Entity& x) { return text.starts_with(x.name); });
    const bool known = e != std::end(kEntities);
    out += known ? e->value : text[0];
    text.remove_prefix(known ? e->name.size() : 1);
  }
  return to_utf8(out, kTextBytes, nullptr);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::deque<RecordItem> read() {
    std::size_t text_from = 0;
    for (;;) {
      const std::size_t open = bytes_.find('<', text_from);
      if (open == std::string_view::npos) break;
      const std::size_t close = bytes_.find('>', open);
      if (close == std::string_view::npos) break;
      const std::string_view tag = bytes_.substr(open + 1, close - open - 1);
      if (tag.starts_with('/')) {
        end(bytes_.substr(text_from, open - text_from), close + 1);
      } else if (!tag.starts_with('?') && !tag.starts_with('!') && !tag.ends_with('/')) {
        begin(tag.substr(0, tag.find_first_of(" \t\r\n")), open);
      }
      text_from = close + 1;
    }
    return std::move(items_);
  }

 private:
  void begin(std::string_view name, std::size_t at) {
    ++depth_;
    if (record_depth_ == 0 && name == "record") {
      record_depth_ = depth_;
      record_at_ = at;
      for (std::string& f : fields_) f.clear();
      path_.clear();
    } else if (record_depth_ != 0 && depth_ <= record_depth_ + kMaxDepth) {
      path_.push_back(name);
    }
    leaf_ = true;
  }

  void end(std::string_view text, std::size_t after) {
    if (depth_ == 0) return;
    if (depth_ == record_depth_) {
      add(after);
      record_depth_ = 0;
    } else if (record_depth_ != 0 && depth_ <= record_depth_ + kMaxDepth) {
      if (leaf_) field(text);
      if (!path_.empty()) path_.pop_back();
    }
    --depth_;
    leaf_ = false;
  }

  void field(std::string_view text) {
    for (const FieldRow& row : kRows) {
      if (fields_[row.field].empty() && here(row.path)) fields_[row.field] = plain(text);
    }
  }

  // Does path_ read "what/text"?
  bool here(std::string_view wanted) const {
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (i > 0 && !consume(&wanted, "/")) return false;
      if (!consume(&wanted, path_[i])) return false;
    }
    return wanted.empty();
  }

  std::string triple(Field x) const {
    if (fields_[x].empty()) return {};
    return "(" + fields_[x] + "," + fields_[x + 1] + "," + fields_[x + 2] + ")";
  }

  std::string source() const {
    if (fields_[kPath].empty()) return {};
    const std::string file(base_name(fields_[kPath]));
    return fields_[kLine].empty() ? file : file + ":" + fields_[kLine];
  }

  void add(std::size_t after) {
    if (fields_[kText].empty()) return;
    const std::string key = fields_[kText] + '\n' + fields_[kFunction] + '\n' + source();
    const auto [at, fresh] = known_.try_emplace(key, items_.size());
    if (!fresh) {
      ++items_[at->second].count;
      return;
    }
    if (items_.size() >= kMaxItems) {
      known_.erase(at);
      return;
    }
    RecordItem item;
    item.quote.offset = record_at_;
    item.quote.length =
        static_cast<std::uint32_t>(std::min<std::size_t>(after - record_at_, UINT32_MAX));
    item.quote.record = "record";
    std::string said = fields_[kText];
    if (!fields_[kFunction].empty()) said += " at " + fields_[kFunction];
    if (const std::string where = source(); !where.empty()) said += " in " + where;
    item.quote.text = to_utf8(said, kQuoteBytes, nullptr);
    item.record = record();
    items_.push_back(std::move(item));
  }

  Record record() const {
    if (!fields_[kResult].empty()) {
      CudaError error;
      error.code = parse_int<std::int32_t>(fields_[kResult]).value_or(-1);
      error.name = fields_[kErrorName];
      error.text = fields_[kMessage];
      error.api = fields_[kApi];
      return error;
    }
    GpuException e;
    e.exception = fields_[kText];
    e.kernel = fields_[kFunction];
    e.source = source();
    e.thread = triple(kThreadX);
    e.block = triple(kBlockX);
    e.pc = parse_hex(fields_[kPc]).value_or(0);
    return e;
  }

  std::string_view bytes_;
  std::deque<RecordItem> items_;
  std::map<std::string, std::size_t> known_;
  std::vector<std::string_view> path_;  // below the record
  std::array<std::string, kFields> fields_;
  std::size_t depth_ = 0, record_depth_ = 0, record_at_ = 0;
  bool leaf_ = false;
};

}  // namespace

bool is_sanitizer_xml(std::string_view head) {
  consume(&head, "\xEF\xBB\xBF");
  return trim(head).starts_with('<') &&
         head.substr(0, 4096).find("<ComputeSanitizerOutput") != std::string_view::npos;
}

std::deque<RecordItem> read_sanitizer_xml(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace firstfault
