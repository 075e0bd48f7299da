#include "timeline/comparable.h"

#include <algorithm>
#include <string_view>

namespace firstfault {

namespace {

struct Fields {
  OpKind kind;
  bool count, out_count, dtype, root, reduction;
};

constexpr Fields kCollLine[] = {
    //                        count  out    dtype  root   reduction
    {OpKind::all_reduce, true, false, true, false, true},
    {OpKind::broadcast, true, false, true, true, false},
    {OpKind::reduce, true, false, true, true, true},
    {OpKind::all_gather, true, false, true, false, false},
    {OpKind::reduce_scatter, true, false, true, false, true},
    {OpKind::all_to_all, false, false, true, false, false},
    {OpKind::gather, true, false, true, true, false},
    {OpKind::scatter, true, false, true, true, false},
};

constexpr Fields kFlightRecorder[] = {
    {OpKind::all_reduce, true, true, true, false, false},
    {OpKind::broadcast, true, true, true, false, false},
    {OpKind::reduce, true, false, true, false, false},
    {OpKind::all_gather, true, false, true, false, false},     // count: only the one-tensor form
    {OpKind::reduce_scatter, true, true, true, false, false},  // the same
    {OpKind::all_to_all, false, false, true, false, false},
};

constexpr Fields kWatchdog[] = {
    {OpKind::all_reduce, true, false, false, false, false},
    {OpKind::broadcast, true, false, false, false, false},
};

constexpr Fields kNothing = {OpKind::unknown, false, false, false, false, false};

template <std::size_t N>
const Fields& row_of(const Fields (&table)[N], OpKind kind) {
  const auto* at = std::find_if(std::begin(table), std::end(table),
                                [&](const Fields& f) { return f.kind == kind; });
  return at == std::end(table) ? kNothing : *at;
}

const Fields& fields_of(OpSource source, OpKind kind) {
  switch (source) {
    case OpSource::coll_line:
      return row_of(kCollLine, kind);
    case OpSource::flight_recorder:
      return row_of(kFlightRecorder, kind);
    case OpSource::watchdog:
      return row_of(kWatchdog, kind);
    default:
      return kNothing;
  }
}

// The forms on one tensor per rank ("_all_gather_base") are even by construction; lists may be
// uneven.
bool even_by_construction(OpKind kind, std::string_view raw) {
  const bool list_form = kind == OpKind::all_gather || kind == OpKind::reduce_scatter;
  return !list_form || raw.find("_base") != std::string_view::npos;
}

OpKind across_layers(OpKind kind) { return kind == OpKind::barrier ? OpKind::all_reduce : kind; }

std::optional<FieldDifference> number_difference(const char* field, std::int64_t a,
                                                 std::int64_t b) {
  if (a < 0 || b < 0 || a == b) return std::nullopt;
  return FieldDifference{field, std::to_string(a), std::to_string(b)};
}

std::optional<FieldDifference> text_difference(const char* field, const std::string& a,
                                               const std::string& b) {
  if (a.empty() || b.empty() || a == b) return std::nullopt;
  return FieldDifference{field, a, b};
}

bool counts_bytes_before_2_22(OpKind kind) {
  return kind == OpKind::all_gather || kind == OpKind::broadcast;
}

}  // namespace

std::optional<FieldDifference> signature_difference(const Cell& a, const Cell& b) {
  const OpSignature& x = a.signature;
  const OpSignature& y = b.signature;
  if (x.kind == OpKind::unknown || y.kind == OpKind::unknown) return std::nullopt;
  const bool alike = a.source == b.source;
  if (alike ? x.kind != y.kind : across_layers(x.kind) != across_layers(y.kind)) {
    return FieldDifference{"op", std::string(op_token(x.kind)), std::string(op_token(y.kind))};
  }
  if (!alike) return std::nullopt;
  if (a.source == OpSource::detail) {
    if (auto d = text_difference("dtype", x.dtype, y.dtype)) return d;
    return text_difference("shape", x.shape, y.shape);
  }
  const Fields& f = fields_of(a.source, x.kind);
  const bool even = a.source != OpSource::flight_recorder ||
                    (even_by_construction(x.kind, x.raw) && even_by_construction(y.kind, y.raw));
  std::optional<FieldDifference> d;
  if (f.dtype && (d = text_difference("dtype", x.dtype, y.dtype))) return d;
  if (f.count && even && (d = number_difference("count", x.count, y.count))) return d;
  if (f.out_count && even && (d = number_difference("out_count", x.out_count, y.out_count)))
    return d;
  if (f.root && (d = number_difference("root", x.root, y.root))) return d;
  if (f.reduction && (d = text_difference("reduction", x.reduction, y.reduction))) return d;
  return std::nullopt;
}

std::vector<RankSet> signature_classes(const Slot& slot) {
  std::vector<RankSet> classes;
  std::vector<const Cell*> heads;
  for (const auto& [rank, cell] : slot.cells) {
    if (!cell.issued || cell.after_cut || cell.signature.kind == OpKind::unknown) continue;
    std::size_t i = 0;
    while (i < heads.size() && signature_difference(*heads[i], cell)) ++i;
    if (i == heads.size()) {
      heads.push_back(&cell);
      classes.emplace_back();
    }
    classes[i].insert(rank);
  }
  std::stable_sort(classes.begin(), classes.end(), [](const RankSet& a, const RankSet& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return classes;
}

const Slot* first_difference(const Communicator& communicator) {
  const auto at = std::find_if(communicator.slots.begin(), communicator.slots.end(),
                               [](const Slot& s) { return signature_classes(s).size() > 1; });
  return at == communicator.slots.end() ? nullptr : &*at;
}

bool rows_differ(const OpRow& a, const OpRow& b, bool bytes_possible) {
  if (a.kind != b.kind) return true;
  const Fields& f = row_of(kCollLine, a.kind);
  const bool sized = !(bytes_possible && counts_bytes_before_2_22(a.kind));
  if (f.dtype && sized && a.datatype != b.datatype) return true;
  if (f.count && sized && a.count != b.count) return true;
  if (f.root && a.root != b.root) return true;
  const bool comparable =
      a.reduction >= 0 && a.reduction < 5 && b.reduction >= 0 && b.reduction < 5;
  return f.reduction && comparable && a.reduction != b.reduction;
}

bool entries_differ(const FrDump& dump_a, const FrEntry& a, const FrDump& dump_b,
                    const FrEntry& b) {
  auto text = [](const FrDump& dump, std::uint32_t i) -> std::string_view {
    return i < dump.strings.size() ? std::string_view(dump.strings[i]) : std::string_view();
  };
  if (a.kind == OpKind::unknown || b.kind == OpKind::unknown) return false;
  if (a.kind != b.kind) return true;
  const Fields& f = row_of(kFlightRecorder, a.kind);
  const std::string_view dtype_a = text(dump_a, a.in_dtype), dtype_b = text(dump_b, b.in_dtype);
  if (f.dtype && !dtype_a.empty() && !dtype_b.empty() && dtype_a != dtype_b) return true;
  if (!even_by_construction(a.kind, text(dump_a, a.name)) ||
      !even_by_construction(b.kind, text(dump_b, b.name))) {
    return false;
  }
  auto numbers = [](std::int64_t x, std::int64_t y) { return x >= 0 && y >= 0 && x != y; };
  return (f.count && numbers(a.in_numel, b.in_numel)) ||
         (f.out_count && numbers(a.out_numel, b.out_numel));
}

}  // namespace firstfault
