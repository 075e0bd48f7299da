#include "parser/torch/misc_lines.h"

#include "base/text.h"

namespace firstfault {

namespace {

// "step 12", "iteration 3/100", "iter 3": the number behind the word.
std::optional<std::int64_t> step_number(std::string_view t) {
  static constexpr std::string_view kWords[] = {"iteration ", "step ", "iter ", "Step ",
                                                "Iteration "};
  for (const std::string_view word : kWords) {
    const std::size_t at = t.find(word);
    if (at == std::string_view::npos || at > 120) continue;
    if (at > 0 && t[at - 1] != ' ' && t[at - 1] != '[') continue;
    std::string_view rest = t.substr(at + word.size());
    while (consume(&rest, " ")) {
    }
    if (const auto n = consume_int(&rest)) return n;
  }
  return std::nullopt;
}

}  // namespace

std::span<const Gate> ProgramLines::gates() const {
  static constexpr Gate kGates[] = {{"========= "}, {" torch "}};
  return kGates;
}

bool ProgramLines::feed(const LineView& line, FactSink& sink) {
  std::string_view t = line.text;
  if (consume(&t, "========= ")) {
    if (t.starts_with("Invalid __") || t.starts_with("Error: Potential") ||
        t.starts_with("Uninitialized __")) {
      finish(sink);
      open_.emplace();
      open_->exception = std::string(trim(t));
      first_text_.assign(line.whole);
      first_ = line;
      first_.whole = first_text_;
      first_.text = {};
      return true;
    }
    if (open_) {
      std::string_view in = trim(t);
      if (open_->kernel.empty() && consume(&in, "at ")) {
        const std::size_t plus = in.rfind("+0x");
        open_->kernel = std::string(in.substr(0, plus));
        const std::size_t file = in.rfind(" in ");
        if (file != std::string_view::npos) open_->source = std::string(in.substr(file + 4));
      } else if (consume(&in, "by thread ")) {
        open_->thread = std::string(in.substr(0, in.find(' ')));
        if (const std::size_t b = in.find("in block "); b != std::string_view::npos)
          open_->block = std::string(in.substr(b + 9));
        finish(sink);
      }
    }
    return true;
  }
  if (line.layer == Layer::plain) {
    if (const auto step = step_number(t); step && t.find("File \"") == std::string_view::npos) {
      sink.add(Progress{*step});
      return true;
    }
    if (const std::size_t at = t.find(" torch "); at != std::string_view::npos) {
      std::string_view v = t.substr(at + 7);
      const std::string_view word = v.substr(0, v.find(' '));
      if (!word.empty() && word[0] >= '0' && word[0] <= '9' &&
          word.find('.') != std::string_view::npos) {
        sink.add(Version{"torch", std::string(word)});
        return true;
      }
    }
  }
  return false;
}

void ProgramLines::finish(FactSink& sink) {
  if (!open_) return;
  sink.add_from(first_, std::move(*open_));
  open_.reset();
}

}  // namespace firstfault
