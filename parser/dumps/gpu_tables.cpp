#include "parser/dumps/gpu_tables.h"

#include <algorithm>
#include <tuple>

namespace firstfault {

namespace {

constexpr std::uint32_t kFirstType = 0x80000000;
constexpr std::size_t kMaxRows = 4096;  // 160 SMs, 64 warps, 32 lanes are the largest so far

// Smallest rows that hold every field that is read.
struct Wanted {
  GpuTable type;
  std::uint64_t min_stride;  // 0: not a table of rows
};
constexpr Wanted kWanted[] = {
    {GpuTable::relocated_image, 0}, {GpuTable::devices, 36},
    {GpuTable::contexts, 36},       {GpuTable::sms, 12},
    {GpuTable::grids, 32},          {GpuTable::blocks, 20},
    {GpuTable::warps, 20},          {GpuTable::lanes, 36},
    {GpuTable::modules, 8},         {GpuTable::meta, 0},
};
constexpr std::size_t kTypes = 24;

const Wanted* wanted(std::uint32_t type) {
  for (const Wanted& w : kWanted) {
    if (type == kFirstType + static_cast<std::uint32_t>(w.type)) return &w;
  }
  return nullptr;
}

bool keep(const ElfSection& s) {
  const Wanted* w = s.size > 0 ? wanted(s.type) : nullptr;
  return w != nullptr && (w->min_stride == 0 || s.entry_size >= w->min_stride);
}

}  // namespace

GpuRows::GpuRows(std::string bytes, std::uint64_t stride, std::size_t limit)
    : bytes_(std::move(bytes)) {
  stride_ = stride == 0 ? bytes_.size() : stride;
  count_ = stride_ == 0 ? 0 : std::min(bytes_.size() / stride_, limit);
}

Result<GpuTree> GpuTree::read(const RandomBytes& bytes, ElfWork* work) {
  Result<ElfFile> elf = ElfFile::read(bytes, work, keep);
  if (!elf) return elf.error();
  if (elf->header().machine != ElfMachine::cuda) return Error{"not a dump of a GPU"};
  GpuTree tree(*std::move(elf));
  tree.index();
  return tree;
}

void GpuTree::index() {
  by_type_.resize(kTypes);
  for (const ElfSection& s : elf_.sections()) {
    by_type_[s.type - kFirstType].push_back(&s);
    branches_.push_back({s.type - kFirstType, s.link, s.info, &s});
  }
  std::stable_sort(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
    return std::tie(a.type, a.parent, a.row) < std::tie(b.type, b.parent, b.row);
  });
}

const std::vector<const ElfSection*>& GpuTree::all(GpuTable type) const {
  return by_type_[static_cast<std::size_t>(type)];
}

const ElfSection* GpuTree::below(GpuTable type, std::uint32_t parent, std::uint32_t row) const {
  const std::tuple key(static_cast<std::uint32_t>(type), parent, row);
  const auto at = std::lower_bound(
      branches_.begin(), branches_.end(), key,
      [](const Branch& b, const auto& k) { return std::tie(b.type, b.parent, b.row) < k; });
  if (at == branches_.end() || std::tie(at->type, at->parent, at->row) != key) return nullptr;
  return at->table;
}

GpuRows GpuTree::rows(const ElfSection* table) const {
  if (table == nullptr) return {};
  Result<std::string> bytes = elf_.content(*table);
  if (!bytes) return {};
  return {*std::move(bytes), table->entry_size, kMaxRows};
}

}  // namespace firstfault
