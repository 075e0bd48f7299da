#include "parser/dumps/gpu_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "parser/dumps/gpu_exceptions.h"
#include "parser/dumps/gpu_images.h"
#include "parser/dumps/gpu_tables.h"
#include "parser/io/sniff.h"

namespace firstfault {

namespace {

constexpr std::size_t kMaxItems = 16;
constexpr std::int64_t kMaxThreadsOfProcess = 4096;

// Where one exception was noted.
struct Fault {
  const ElfSection* sm_table = nullptr;
  std::uint32_t device = 0, sm_row = 0, sm = 0;
  std::uint32_t code = 0;
  std::optional<std::uint64_t> pc;
  // Filled by focus() when a block is alive.
  bool placed = false;
  std::uint64_t grid = 0;
  std::string block, thread;
  std::int32_t warp = -1, lane = -1;
  std::uint64_t sms = 1;  // that noted the same
};

std::string triple(std::string_view row, std::size_t offset) {
  return fmt::format("({},{},{})", u32_at(row, offset), u32_at(row, offset + 4),
                     u32_at(row, offset + 8));
}

class Reader {
 public:
  Reader(const RandomBytes& bytes, const GpuTree& tree, ElfWork* work)
      : bytes_(bytes), tree_(tree), work_(work) {}

  std::deque<RecordItem> items(std::int64_t pid) {
    std::vector<Fault> faults = noted_by_sms();
    if (faults.empty()) faults = noted_by_warps();
    std::deque<RecordItem> out;
    for (const Fault& fault : faults) out.push_back(item(fault, pid));
    return out;
  }

  // Kernel-side thread of the process that launched the first grid; -1 unknown.
  std::int64_t host_thread() const {
    for (const ElfSection* table : tree_.all(GpuTable::grids)) {
      const GpuRows rows = tree_.rows(table);
      if (rows.size() > 0 && u32_at(rows.row(0), 100) > 0) return u32_at(rows.row(0), 100);
    }
    return -1;
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

  // Counts the fault when the same was noted before. Whether it is new and there is room for it.
  static bool fresh(const Fault& fault, std::map<Key, std::size_t>* known,
                    std::vector<Fault>* faults) {
    const Key key{fault.device, fault.code, fault.pc.value_or(0)};
    if (const auto at = known->find(key); at != known->end()) {
      ++(*faults)[at->second].sms;
      return false;
    }
    if (faults->size() >= kMaxItems) return false;
    known->emplace(key, faults->size());
    return true;
  }

  // Calls `use` for every SM of every device.
  template <typename Use>
  void each_sm(const Use& use) const {
    for (const ElfSection* table : tree_.all(GpuTable::sms)) {
      const GpuRows rows = tree_.rows(table);
      for (std::uint32_t r = 0; r < rows.size(); ++r) {
        Fault fault;
        fault.sm_table = table;
        fault.device = table->info;
        fault.sm_row = r;
        fault.sm = u32_at(rows.row(r), 0);
        use(std::move(fault), rows.row(r));
      }
    }
  }

  std::vector<Fault> noted_by_sms() const {
    std::vector<Fault> faults;
    std::map<Key, std::size_t> known;
    each_sm([&](Fault fault, std::string_view row) {
      fault.code = u32_at(row, 8);
      if (fault.code == 0) return;
      if (u32_at(row, 12) != 0) fault.pc = u64_at(row, 16);
      if (!fresh(fault, &known, &faults)) return;
      focus(&fault);
      faults.push_back(std::move(fault));
    });
    return faults;
  }

  // Exceptions that only the lanes know, and warps that a trap has stopped.
  std::vector<Fault> noted_by_warps() const {
    std::vector<Fault> faults;
    std::map<Key, std::size_t> known;
    each_sm([&](Fault fault, std::string_view) {
      if (focus(&fault) && fresh(fault, &known, &faults)) faults.push_back(std::move(fault));
    });
    return faults;
  }

  // The warp and lane that a debugger would look at first: of the exception at the noted address if
  // there is one, else any with an exception, else one that was stopped.
  bool focus(Fault* fault) const {
    const ElfSection* blocks = tree_.below(GpuTable::blocks, fault->sm_table->index, fault->sm_row);
    const GpuRows block_rows = tree_.rows(blocks);
    int best = 0;
    for (std::uint32_t b = 0; b < block_rows.size(); ++b) {
      const ElfSection* warps = tree_.below(GpuTable::warps, blocks->index, b);
      const GpuRows warp_rows = tree_.rows(warps);
      for (std::uint32_t w = 0; w < warp_rows.size(); ++w) {
        const std::string_view warp = warp_rows.row(w);
        const GpuRows lanes = tree_.rows(tree_.below(GpuTable::lanes, warps->index, w));
        const int fits = look(*fault, warp, lanes);
        if (fits <= best) continue;
        best = fits;
        place(block_rows.row(b), warp, lanes, fault);
      }
    }
    return best > 0;
  }

  static int look(const Fault& fault, std::string_view warp, const GpuRows& lanes) {
    const bool pc_valid = u32_at(warp, 24) != 0;
    if (fault.pc && pc_valid && u64_at(warp, 0) == *fault.pc) return 4;
    if (lane_with_exception(lanes, 0) < lanes.size()) return 3;
    if (pc_valid) return 2;
    return u32_at(warp, 20) != 0 ? 1 : 0;
  }

  // lanes.size() when there is none.
  static std::size_t lane_with_exception(const GpuRows& lanes, std::uint32_t active) {
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      const std::uint32_t number = u32_at(lanes.row(l), 16);
      if (active != 0 && (number >= 32 || (active >> number & 1) == 0)) continue;
      if (active != 0 || u32_at(lanes.row(l), 32) != 0) return l;
    }
    return lanes.size();
  }

  static void place(std::string_view block, std::string_view warp, const GpuRows& lanes,
                    Fault* fault) {
    fault->placed = true;
    fault->grid = u64_at(block, 0);
    fault->block = triple(block, 8);
    fault->warp = static_cast<std::int32_t>(u32_at(warp, 8));
    if (u32_at(warp, 24) != 0 && !fault->pc) fault->pc = u64_at(warp, 0);
    std::size_t l = lane_with_exception(lanes, 0);
    if (l == lanes.size()) l = lane_with_exception(lanes, u32_at(warp, 16));
    if (l == lanes.size()) return;
    const std::string_view lane = lanes.row(l);
    fault->lane = static_cast<std::int32_t>(u32_at(lane, 16));
    fault->thread = triple(lane, 20);
    if (fault->code == 0) fault->code = u32_at(lane, 32);
    if (!fault->pc) fault->pc = u64_at(lane, 0);
  }

  template <typename Pick>
  std::optional<std::string> grid_row(std::uint32_t device, const Pick& pick) const {
    for (const ElfSection* table : tree_.all(GpuTable::grids)) {
      if (table->info != device) continue;
      const GpuRows rows = tree_.rows(table);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (pick(rows.row(r), rows.size())) return std::string(rows.row(r));
      }
    }
    return std::nullopt;
  }

  // In which image of the device the address lies; the images of other devices may hold it too.
  GpuFunction function_at(std::uint32_t device, std::uint64_t address) const {
    GpuFunction found;
    if (address == 0) return found;
    for (const ElfSection* image : tree_.all(GpuTable::relocated_image)) {
      if (const auto of = device_of(*image); of && *of != device) continue;
      found = find_function(PartOfBytes(bytes_, image->offset, image->size), address, work_);
      if (!found.kernel.empty()) return found;
    }
    return found;
  }

  std::optional<std::uint32_t> device_of(const ElfSection& image) const {
    const ElfSection* modules = tree_.section(image.link);
    const ElfSection* contexts = modules == nullptr ? nullptr : tree_.section(modules->link);
    if (contexts == nullptr) return std::nullopt;
    return contexts->info;
  }

  std::string pci_of(const Fault& fault) const {
    const ElfSection* devices = tree_.section(fault.sm_table->link);
    const GpuRows rows = tree_.rows(devices);
    if (fault.device >= rows.size()) return {};
    const std::string_view row = rows.row(fault.device);
    const std::uint32_t bus = u32_at(row, 28), slot = u32_at(row, 32);
    if (bus > 0xFF || slot > 0x1F) return {};
    return fmt::format("0000:{:02x}:{:02x}.0", bus, slot);  // the dump has no domain
  }

  RecordItem item(const Fault& fault, std::int64_t pid) const {
    GpuException e;
    e.exception = gpu_exception_name(fault.code);
    e.code = fault.code > INT32_MAX ? -1 : static_cast<std::int32_t>(fault.code);
    e.block = fault.block;
    e.thread = fault.thread;
    e.pid = pid;
    e.device = static_cast<std::int32_t>(fault.device);
    e.sm = static_cast<std::int32_t>(fault.sm);
    e.warp = fault.warp;
    e.lane = fault.lane;
    e.pc = fault.pc.value_or(0);
    e.pci = pci_of(fault);
    const GpuFunction at = function_at(fault.device, e.pc);
    e.source = at.source;
    e.kernel = at.kernel;
    e.function = at.function;
    // When the blocks are gone and one grid was there, it is the one.
    const auto grid = grid_row(fault.device, [&](std::string_view row, std::size_t rows) {
      return fault.placed ? u64_at(row, 0) == fault.grid : rows == 1;
    });
    if (grid && u64_at(*grid, 24) != at.start) {
      const GpuFunction entry = function_at(fault.device, u64_at(*grid, 24));
      if (!entry.kernel.empty()) e.kernel = entry.kernel;
    }
    if (e.function == e.kernel) e.function.clear();

    RecordItem out;
    out.count = fault.sms;
    out.quote.offset = fault.sm_table->offset + fault.sm_row * fault.sm_table->entry_size;
    out.quote.length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(fault.sm_table->entry_size, UINT32_MAX));
    out.quote.record = fmt::format("sm table of device {}, row {}", fault.device, fault.sm_row);
    out.quote.text = to_utf8(said(e), kQuoteBytes, nullptr);
    out.record = std::move(e);
    return out;
  }

  static std::string said(const GpuException& e) {
    std::string out = fmt::format("CUDA exception: {} at PC {:#x}", e.exception, e.pc);
    if (!e.kernel.empty()) out += fmt::format(" in kernel {}", e.kernel);
    if (!e.function.empty()) out += fmt::format(", function {}", e.function);
    if (!e.source.empty()) out += fmt::format(" ({})", e.source);
    out += fmt::format(", device {}, sm {}", e.device, e.sm);
    if (e.warp >= 0) out += fmt::format(", warp {}", e.warp);
    if (!e.block.empty()) out += fmt::format(", block {}", e.block);
    if (!e.thread.empty()) out += fmt::format(", thread {}", e.thread);
    return out;
  }

  const RandomBytes& bytes_;
  const GpuTree& tree_;
  ElfWork* work_;
};

// "core_1796096904_node-1_2062.nvcudmp" (the driver's default) names host and pid; of other names
// only "..._2062.nvcudmp" counts. The pid must lie shortly before the thread that launched the
// grid.
Speaker speaker_of(std::string_view path, std::int64_t host_thread) {
  Speaker out;
  std::string_view name = base_name(path);
  name = name.substr(0, name.find(".nvcudmp"));
  const std::size_t bar = name.find_last_of("_.");
  const auto pid =
      parse_int<std::int64_t>(name.substr(bar == std::string_view::npos ? 0 : bar + 1));
  if (!pid || *pid <= 0 || *pid == path_hints(path).rank || host_thread < *pid ||
      host_thread - *pid > kMaxThreadsOfProcess)
    return out;
  out.pid = *pid;
  name = name.substr(0, bar);
  if (!consume(&name, "core_")) return out;
  const auto seconds = consume_int(&name);
  if (seconds && *seconds > 1'000'000'000 && consume(&name, "_")) {
    out.host = to_utf8(name, 256, nullptr);
  }
  return out;
}

void read_meta(const GpuTree& tree, Stamp* when) {
  for (const ElfSection* table : tree.all(GpuTable::meta)) {
    const GpuRows rows = tree.rows(table);
    const std::int64_t s = rows.size() == 0 ? 0 : u32_at(rows.row(0), 28);
    if (s == 0) continue;
    when->clock = Clock::utc;
    when->grade = StampGrade::printed;
    when->time = Interval::between(s * kSecond, (s + 1) * kSecond);
  }
}

}  // namespace

Result<GpuCore> read_gpu_core(const RandomBytes& bytes, std::string_view path,
                              const ElfLimits& limits) {
  ElfWork work(limits);
  const Result<GpuTree> tree = GpuTree::read(bytes, &work);
  if (!tree) return tree.error().in("GPU core dump");
  GpuCore core;
  read_meta(*tree, &core.when);
  Reader reader(bytes, *tree, &work);
  core.speaker = speaker_of(path, reader.host_thread());
  core.items = reader.items(core.speaker.pid);
  for (RecordItem& item : core.items) item.first = item.last = core.when;
  core.hash = work.hash();
  core.work = work.counters();
  return core;
}

}  // namespace firstfault
