#include "parser/torch/desync_lines.h"

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::uint32_t kMaxLines = 4096;

// "[0,1,3] rest" -> ranks; the rest stays in *t.
std::optional<RankSet> bracketed(std::string_view* t) {
  std::string_view rest = *t;
  if (!consume(&rest, "[")) return std::nullopt;
  const auto inside = consume_until(&rest, "]");
  if (!inside) return std::nullopt;
  Result<RankSet> ranks = RankSet::parse(*inside);
  if (!ranks) return std::nullopt;
  *t = trim(rest);
  return *ranks;
}

}  // namespace

std::span<const Gate> DesyncLines::gates() const {
  static constexpr Gate kGates[] = {{"] Timeout at collective: "}, {"- To our best knowledge, "}};
  return kGates;
}

bool DesyncLines::feed(const LineView& line, FactSink& sink) {
  std::string_view t = trim(line.text);
  consume(&t, "- ");
  const bool head = t.find("] Timeout at collective: ") != std::string_view::npos;
  const bool guess = t.starts_with("To our best knowledge, ");
  if (head || (guess && !report_)) {
    finish(sink);
    report_.emplace();
    first_text_.assign(line.whole);
    first_ = line;
    first_.whole = first_text_;
    first_.text = {};
    lines_ = 0;
    seq_ = -1;
  }
  if (!report_) return false;
  if (head) {
    const std::size_t open = t.find('[');
    std::string_view in = open == std::string_view::npos ? t : t.substr(open);
    if (const auto who = bracketed(&in); who && who->size() == 1)
      report_->group_rank = who->smallest();
    if (consume(&in, "Timeout at collective: ")) {
      report_->kind = op_from_c10d(in.substr(0, in.find(',')));
      if (const std::size_t number = in.find('#'); number != std::string_view::npos) {
        in.remove_prefix(number + 1);
        report_->seq = consume_int(&in).value_or(-1);
      }
    }
    return true;
  }
  if (++lines_ > kMaxLines || line.layer != Layer::plain) {
    finish(sink);
    return false;
  }
  if (guess) {
    if (consume(&t, "To our best knowledge, ranks ")) {
      if (const auto ranks = bracketed(&t)) report_->never_joined.merge(*ranks);
    }
    return true;
  }
  if (t.starts_with("Snapshot of ranks") || t.find(" collective #") != std::string_view::npos) {
    return true;
  }
  if (consume(&t, "#")) {
    seq_ = consume_int(&t).value_or(-1);
    return true;
  }
  if (auto ranks = bracketed(&t)) {
    DesyncReport::State state;
    state.seq = seq_;
    state.ranks = std::move(*ranks);
    state.finished = t.starts_with("finished ");
    const std::size_t blank = t.find(' ');
    if (blank != std::string_view::npos) {
      state.op_type = std::string(trim(t.substr(blank + 1)));
      state.kind = op_from_c10d(state.op_type);
    }
    report_->states.push_back(std::move(state));
    return true;
  }
  finish(sink);
  return false;
}

void DesyncLines::finish(FactSink& sink) {
  if (!report_) return;
  sink.add_from(first_, std::move(*report_));
  report_.reset();
}

}  // namespace firstfault
