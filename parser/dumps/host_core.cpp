#include "parser/dumps/host_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace firstfault {

namespace {

constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kMaxLibraries = 32;
constexpr std::uint64_t kMaxNotes = 1u << 16;  // a thread has six of them
constexpr std::uint32_t kMachineX86 = 62, kMachineArm = 183;

constexpr std::string_view kSignals[] = {
    "",          "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};
constexpr std::string_view kAddressed[] = {"SIGILL", "SIGBUS", "SIGFPE", "SIGSEGV"};
// Beginnings of file names of libraries that a GPU job's crash may be about.
constexpr std::string_view kLibraries[] = {
    "libcuda",  "libcudart", "libcudnn",   "libcublas",  "libnccl", "libnvidia",
    "libnvrtc", "libtorch",  "libc10",     "libibverbs", "libmlx5", "libfabric",
    "libucp",   "libucs",    "libnvshmem", "librdmacm",  "libefa",
};

std::string signal_name(std::uint32_t number) {
  if (number == 0) return {};
  if (number < std::size(kSignals)) return std::string(kSignals[number]);
  return "signal " + std::to_string(number);
}

std::string fixed_text(std::string_view field) {
  return to_utf8(trim(field.substr(0, field.find('\0'))), kNameBytes, nullptr);
}

struct Note {
  std::uint32_t type = 0;
  std::string_view body;
};

// Calls `use` for every note of one segment; what is damaged ends it.
template <typename Use>
void each_note(std::string_view segment, const Use& use) {
  const auto padded = [](std::uint64_t n) { return (n + 3) & ~std::uint64_t{3}; };
  for (std::uint64_t n = 0; n < kMaxNotes && segment.size() >= 12; ++n) {
    const std::uint64_t name = padded(u32_at(segment, 0)), body = u32_at(segment, 4);
    const std::uint32_t type = u32_at(segment, 8);
    segment.remove_prefix(12);
    if (name > segment.size() || body > segment.size() - name) return;
    const std::string_view owner = segment.substr(0, name);
    if (owner.starts_with("CORE")) use(Note{type, segment.substr(name, body)});
    segment.remove_prefix(std::min<std::uint64_t>(segment.size(), name + padded(body)));
  }
}

class Reader {
 public:
  explicit Reader(ElfMachine machine) : machine_(static_cast<std::uint32_t>(machine)) {}

  void read(const Note& note) {
    struct Row {
      std::uint32_t type;
      void (Reader::*read)(std::string_view);
    };
    static constexpr Row kRows[] = {{1, &Reader::thread},
                                    {3, &Reader::process},
                                    {0x53494749, &Reader::signal},
                                    {0x46494c45, &Reader::files}};
    for (const Row& row : kRows) {
      if (note.type == row.type) (this->*row.read)(note.body);
    }
  }

  // Requires that all notes were read.
  std::optional<ProcessCore> core() {
    if (!any_) return std::nullopt;
    if (core_.pid < 0) core_.pid = thread_;
    core_.where = place(pc_);
    return core_;
  }

 private:
  // NT_PRSTATUS; the first one is the thread that died.
  void thread(std::string_view body) {
    if (any_thread_ || body.size() < 112) return;
    any_thread_ = any_ = true;
    if (core_.signal.empty()) core_.signal = signal_name(u32_at(body, 12) & 0xFFFF);
    thread_ = static_cast<std::int32_t>(u32_at(body, 32));
    if (machine_ == kMachineX86) pc_ = u64_at(body, 112 + 16 * 8);
    if (machine_ == kMachineArm) pc_ = u64_at(body, 112 + 32 * 8);
  }

  // NT_PRPSINFO
  void process(std::string_view body) {
    if (body.size() < 136) return;
    any_ = true;
    core_.pid = static_cast<std::int32_t>(u32_at(body, 24));
    core_.process = fixed_text(body.substr(40, 16));
    core_.command = fixed_text(body.substr(56, 80));
  }

  // NT_SIGINFO
  void signal(std::string_view body) {
    if (body.size() < 24) return;
    any_ = true;
    if (const std::string name = signal_name(u32_at(body, 0)); !name.empty()) core_.signal = name;
    // Sent by a program (kill, abort): what follows is the sender, not an address.
    const bool by_fault = static_cast<std::int32_t>(u32_at(body, 8)) > 0;
    const bool addressed = std::find(std::begin(kAddressed), std::end(kAddressed), core_.signal) !=
                           std::end(kAddressed);
    if (by_fault && addressed) core_.address = u64_at(body, 16);
  }

  // NT_FILE: count, page size, (start, end, offset in pages) each, names.
  void files(std::string_view body) {
    const std::uint64_t count = u64_at(body, 0), page = u64_at(body, 8);
    if (body.size() < 16 || count > (body.size() - 16) / 24) return;
    any_ = true;
    std::string_view names = body.substr(16 + count * 24);
    for (std::uint64_t i = 0; i < count && !names.empty(); ++i) {
      const std::string_view row = body.substr(16 + i * 24, 24);
      const std::string_view name = names.substr(0, names.find('\0'));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      const std::uint64_t start = u64_at(row, 0), end = u64_at(row, 8);
      if (start <= pc_ && pc_ < end) {
        mapped_ = name;
        in_file_ = pc_ - start + u64_at(row, 16) * page;
      }
      library(name);
    }
  }

  void library(std::string_view path) {
    if (core_.libraries.size() >= kMaxLibraries) return;
    const std::string_view name = base_name(path);
    const bool wanted = std::any_of(std::begin(kLibraries), std::end(kLibraries),
                                    [&](std::string_view l) { return name.starts_with(l); });
    if (!wanted) return;
    std::string text = to_utf8(path, kNameBytes, nullptr);
    auto& known = core_.libraries;
    if (std::find(known.begin(), known.end(), text) == known.end())
      known.push_back(std::move(text));
  }

  std::string place(std::uint64_t pc) const {
    if (pc == 0) return {};
    if (mapped_.empty()) return fmt::format("{:#x}", pc);
    return fmt::format("{}+{:#x}", to_utf8(base_name(mapped_), kNameBytes, nullptr), in_file_);
  }

  std::uint32_t machine_;
  ProcessCore core_;
  bool any_ = false, any_thread_ = false;
  std::int64_t thread_ = -1;
  std::uint64_t pc_ = 0, in_file_ = 0;
  std::string_view mapped_;
};

std::string said(const ProcessCore& core) {
  std::string out = fmt::format("core dump of {} (pid {})",
                                core.process.empty() ? "a process" : core.process, core.pid);
  if (!core.signal.empty()) out += ": " + core.signal;
  if (core.address) out += fmt::format(", fault address {:#x}", *core.address);
  if (!core.where.empty()) out += " in " + core.where;
  if (!core.command.empty()) out += "; " + core.command;
  return out;
}

bool no_section(const ElfSection&) { return false; }

}  // namespace

Result<HostCore> read_host_core(const RandomBytes& bytes, const ElfLimits& limits) {
  ElfWork work(limits);
  const auto fail = [](const Error& error) { return error.in("core dump"); };
  const Result<ElfFile> elf = ElfFile::read(bytes, &work, no_section);
  if (!elf) return fail(elf.error());
  if (elf->header().type != ElfType::core) return Error{"ELF file, not a core dump"};
  const Result<std::vector<ElfSegment>> segments = elf->segments();
  if (!segments) return fail(segments.error());
  std::vector<std::string> notes;
  RecordItem item;
  for (const ElfSegment& s : *segments) {
    if (s.type != kElfNoteSegment || s.offset >= bytes.size()) continue;
    if (s.file_size > limits.table) return fail(Error{"notes are larger than any real ones"});
    Result<std::string> note =
        work.read(bytes, s.offset, std::min(s.file_size, bytes.size() - s.offset));
    if (!note) return fail(note.error());
    if (notes.empty()) {
      item.quote.offset = s.offset;
      item.quote.length = static_cast<std::uint32_t>(note->size());
    }
    notes.push_back(*std::move(note));
  }
  Reader reader(elf->header().machine);
  for (const std::string& segment : notes) {
    each_note(segment, [&](const Note& note) { reader.read(note); });
  }
  std::optional<ProcessCore> core = reader.core();
  if (!core) return Error{"core dump: no notes in it"};
  HostCore out;
  item.quote.record = "notes";
  item.quote.text = to_utf8(said(*core), kQuoteBytes, nullptr);
  item.record = *std::move(core);
  out.item = std::move(item);
  out.hash = work.hash();
  out.work = work.counters();
  return out;
}

std::uint64_t host_core_front(const RandomBytes& front) {
  constexpr std::uint64_t kHeader = 64, kSegment = 56;
  if (front.size() < kHeader) return kHeader;
  ElfWork work;
  const Result<std::string> head = work.read(front, 0, kHeader);
  if (!head || !std::string_view(*head).starts_with(kElfMagic)) return 0;
  const std::uint64_t at = u64_at(*head, 32), count = u32_at(*head, 56) & 0xFFFF;
  if (at > UINT32_MAX) return 0;
  std::uint64_t end = at + count * kSegment;
  if (end > front.size()) return end;
  const Result<ElfFile> elf = ElfFile::read(front, &work, no_section);
  if (!elf) return 0;
  const Result<std::vector<ElfSegment>> segments = elf->segments();
  if (!segments) return 0;
  for (const ElfSegment& s : *segments) {
    if (s.type != kElfNoteSegment || s.offset > UINT32_MAX) continue;
    end = std::max(end, s.offset + std::min(s.file_size, work.limits().table));
  }
  return end;
}

}  // namespace firstfault
