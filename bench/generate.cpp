// Writes synthetic logs of a healthy large job, for benchmarks.
//
//   bench_generate KIND OUT_FILE MEGABYTES [RANK [NRANKS [SEED]]]
//   KIND: nccl_init | coll | training | dmesg
//
// The same arguments give the same bytes. The lines follow the forms of real logs (NCCL 2.28, a
// training loop's text, a kernel ring buffer without faults); every name in them is made up.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace {

// xorshift64*: small, fast, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

struct Writer {
  std::FILE* file;
  std::uint64_t limit;
  int rank;
  int nranks;
  Random random;
  std::uint64_t written = 0;
  std::string line;

  bool full() const { return written >= limit; }
  void put() {
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size()) {
      std::perror("bench_generate");
      std::exit(1);
    }
    written += line.size();
    line.clear();
  }
  std::string prefix() const {
    const int pid = 41000 + rank;
    return fmt::format("node-{:04}:{}:{} [{}] NCCL INFO ", rank / 8, pid, pid, rank % 8);
  }
};

void nccl_init(Writer& w) {
  for (std::uint64_t comm = 0x55d0a0000000; !w.full(); comm += 0x1000) {
    const std::string p = w.prefix();
    const std::uint64_t hash = w.random.next();
    const auto say = [&](std::string_view text) {
      w.line = p;
      w.line += text;
      w.put();
    };
    say("Comm config Blocking set to 1");
    say("NET/Plugin: Could not find: libnccl-net.so");
    say("NCCL_SOCKET_IFNAME set by environment to eth0");
    say("NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.5<0>");
    say("Using network IB");
    say(fmt::format(
        "ncclCommInitRankConfig comm 0x{:x} rank {} nranks {} cudaDev {} nvmlDev {} busId {:x} "
        "commId 0x{:x} - Init START",
        comm, w.rank, w.nranks, w.rank % 8, w.rank % 8, 0x17000 + (w.rank % 8) * 0x1000, hash));
    say(fmt::format("comm 0x{:x} rank {} nRanks {} nNodes {} localRanks 8 localRank {} MNNVL 0",
                    comm, w.rank, w.nranks, w.nranks / 8 + 1, w.rank % 8));
    for (int c = 0; c < 16; ++c) {
      say(fmt::format("Trees [{}] {}/-1/-1->{}->{}", c, w.rank + 1, w.rank, w.rank - 1));
      say(fmt::format("Channel {:02}/{} : {}[{}] -> {}[{}] via P2P/CUMEM", c, c % 2, w.rank,
                      w.rank % 8, w.rank + 1, (w.rank + 1) % 8));
      say(fmt::format("Channel {:02}/0 : {}[{}] -> {}[{}] [receive] via NET/IB/{}/GDRDMA", c,
                      w.rank, w.rank % 8, w.rank + 8, w.rank % 8, c % 2));
      say(fmt::format("New proxy recv connection {} from local rank {}, transport 2", c,
                      w.rank % 8));
    }
    say("Connected all rings, use ring PXN 0 GDR 1");
    say("threadThresholds 8/8/64 | 512/8/64 | 512 | 512");
    say("16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels "
        "per peer");
    say(fmt::format(
        "ncclCommInitRankConfig comm 0x{:x} rank {} nranks {} cudaDev {} nvmlDev {} busId {:x} "
        "commId 0x{:x} - Init COMPLETE",
        comm, w.rank, w.nranks, w.rank % 8, w.rank % 8, 0x17000 + (w.rank % 8) * 0x1000, hash));
  }
}

void coll(Writer& w) {
  const std::string p = w.prefix();
  const auto init = [&](std::uint64_t comm, int rank, int nranks, std::uint64_t hash) {
    for (const char* phase : {"START", "COMPLETE"}) {
      w.line = fmt::format(
          "{}ncclCommInitRankConfig comm 0x{:x} rank {} nranks {} cudaDev {} nvmlDev {} busId {:x} "
          "commId 0x{:x} - Init {}",
          p, comm, rank, nranks, w.rank % 8, w.rank % 8, 0x17000 + (w.rank % 8) * 0x1000, hash,
          phase);
      w.put();
    }
  };
  const std::uint64_t world = 0x55d0a1000000, tensor = 0x55d0a2000000;
  init(world, w.rank, w.nranks, 0xfeedULL);
  init(tensor, w.rank % 8, 8, 0xbeef0000ULL + w.rank / 8);
  static constexpr std::string_view kOps[] = {"AllReduce", "AllGather", "ReduceScatter"};
  for (std::uint64_t i = 0; !w.full(); ++i) {
    const bool in_tensor = i % 4 != 0;
    const std::uint64_t send = 0x7f30a0000000 + w.random.below(1u << 20) * 512;
    w.line = fmt::format(
        "{}{}: opCount {:x} sendbuff 0x{:x} recvbuff 0x{:x} count {} datatype {} op 0 root 0 comm "
        "0x{:x} [nranks={}] stream 0x55d0b0000000",
        p, kOps[i % 3], i, send, send, 1024 * (1 + i % 7), i % 2 == 0 ? 9 : 7,
        in_tensor ? tensor : world, in_tensor ? 8 : w.nranks);
    w.put();
  }
}

void training(Writer& w) {
  for (std::uint64_t step = 0; !w.full(); ++step) {
    const unsigned s = static_cast<unsigned>(step % 60), m = static_cast<unsigned>(step / 60 % 60);
    w.line = fmt::format(
        "2026-03-14 {:02}:{:02}:{:02},{:03} [INFO] [rank {}] iteration {}/500000 | consumed "
        "samples: {} | "
        "elapsed time per iteration (ms): {:.1f} | learning rate: 1.500E-04 | global batch size: "
        "1024 | "
        "lm loss: {:.6f} | grad norm: {:.3f}",
        step / 3600 % 24, m, s, w.random.below(1000), w.rank, step, step * 1024,
        480.0 + static_cast<double>(w.random.below(900)) / 10,
        10.0 / (1.0 + static_cast<double>(step) * 1e-3),
        static_cast<double>(w.random.below(3000)) / 1000);
    w.put();
    if (step % 50 == 0) {
      w.line = "INFO:data.loader:shard 000" + std::to_string(step / 50 % 900) +
               " opened, 65536 samples, prefetch queue 12";
      w.put();
    }
  }
}

void dmesg(Writer& w) {
  double t = 0;
  while (!w.full()) {
    t += static_cast<double>(w.random.below(4'000'000)) / 1e6;
    switch (w.random.below(6)) {
      case 0:
        w.line = fmt::format(
            "[{:12.6f}] audit: type=1400 audit({}.{:03}:{}): apparmor=\"STATUS\" "
            "operation=\"profile_load\" "
            "profile=\"unconfined\" name=\"docker-default\" pid={} comm=\"apparmor_parser\"",
            t, 1770000000 + static_cast<std::uint64_t>(t), w.random.below(1000),
            w.random.below(10000), w.random.below(60000));
        break;
      case 1:
        w.line = fmt::format("[{:12.6f}] docker0: port {}(veth{:07x}) entered forwarding state", t,
                             w.random.below(9), w.random.below(1u << 28));
        break;
      case 2:
        w.line = fmt::format("[{:12.6f}] systemd[1]: Started Session {} of User trainer.", t,
                             w.random.below(100000));
        break;
      case 3:
        w.line = fmt::format(
            "[{:12.6f}] EXT4-fs (nvme{}n1): mounted filesystem with ordered data mode. Opts: "
            "(null). Quota mode: none.",
            t, w.random.below(8));
        break;
      case 4:
        w.line = fmt::format("[{:12.6f}] mlx5_core 0000:{:02x}:00.0 ib{}: Link up", t,
                             w.random.below(256), w.random.below(8));
        break;
      default:
        w.line = fmt::format(
            "[{:12.6f}] perf: interrupt took too long ({} > {}), lowering "
            "kernel.perf_event_max_sample_rate to {}",
            t, 2500 + w.random.below(900), 2500, 50000 + w.random.below(9) * 1000);
    }
    w.put();
  }
}

struct Kind {
  std::string_view name;
  void (*write)(Writer&);
};
constexpr Kind kKinds[] = {
    {"nccl_init", nccl_init}, {"coll", coll}, {"training", training}, {"dmesg", dmesg}};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: bench_generate nccl_init|coll|training|dmesg OUT_FILE MEGABYTES [RANK "
                 "[NRANKS [SEED]]]\n");
    return 2;
  }
  const int rank = argc > 4 ? std::atoi(argv[4]) : 0;
  const int nranks = argc > 5 ? std::atoi(argv[5]) : 8;
  const std::uint64_t seed = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1;
  for (const Kind& kind : kKinds) {
    if (kind.name != argv[1]) continue;
    std::FILE* file = std::fopen(argv[2], "wb");
    if (file == nullptr) {
      std::perror(argv[2]);
      return 1;
    }
    Writer writer{file,
                  std::strtoull(argv[3], nullptr, 10) << 20,
                  rank,
                  nranks,
                  Random(seed * 1000003 + rank),
                  0,
                  {}};
    kind.write(writer);
    if (std::fclose(file) != 0) {
      std::perror(argv[2]);
      return 1;
    }
    return 0;
  }
  std::fprintf(stderr, "bench_generate: no kind '%s'\n", argv[1]);
  return 2;
}
