#!/usr/bin/env python3
"""Flight Recorder dumps of a job that hung, in the size of a real one: for benchmarks.

    bench/flight_recorder.py --ranks 1024 --entries 2000 DIR

writes DIR/nccl_trace_rank_0 ...: pickles of protocol 2 as TorchScript's pickler writes them
(format 2.10): strings memoised by value, frames by identity, time stamps as LONG1 of 8 bytes. All
collectives are complete but the last, which one rank (--missing) never issued. With --tensor N
every second operation runs on a group of N neighbours. Same arguments, same bytes.
"""

import argparse
import os
import random
import struct

LIBRARY = "/opt/pytorch/env/lib/python3.12/site-packages/torch/distributed/"
STEP_NS = 1_700_000
START_NS = 1796096687_000000000
TIMEOUT_MS = 600_000
# name, user's function, user's line, elements in, elements out (per rank of the group)
OPS = [
    ("_all_gather_base", "unshard", 118, 1 << 20, 0),
    ("_all_gather_base", "unshard_mlp", 131, 1 << 22, 0),
    ("_reduce_scatter_base", "reduce_grads", 204, 0, 1 << 22),
    ("all_reduce", "clip_grads", 310, 1, 1),
]


class Pickler:
    def __init__(self):
        self.out = bytearray(b"\x80\x02")
        self.memo = {}
        self.stamps = []  # (offset of the eight bytes, number of the operation, kind)

    def put(self, key):
        n = len(self.memo)
        self.memo[key] = n
        self.out += struct.pack("<cB", b"q", n) if n < 256 else struct.pack("<cI", b"r", n)

    def get(self, key):
        n = self.memo.get(key)
        if n is None:
            return False
        self.out += struct.pack("<cB", b"h", n) if n < 256 else struct.pack("<cI", b"j", n)
        return True

    def value(self, v):
        out = self.out
        if v is None:
            out += b"N"
        elif v is True or v is False:
            out += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            self.integer(v)
        elif isinstance(v, str):
            if not self.get(v):
                raw = v.encode()
                out += b"X" + struct.pack("<I", len(raw)) + raw
                self.put(v)
        elif isinstance(v, Stamp):
            out += b"\x8a\x08" + bytes(8)
            self.stamps.append((len(out) - 8, v.index, v.completed))
        elif isinstance(v, Frame):
            if not self.get(v):
                self.pairs(v.fields)
                self.put(v)
        elif isinstance(v, tuple):
            for item in v:
                self.value(item)
            out += b"\x86"
        elif isinstance(v, list):
            out += b"]("
            for item in v:
                self.value(item)
            out += b"e"
        else:
            self.pairs(v)

    def pairs(self, v):
        self.out += b"}("
        for key, item in v.items():
            self.value(key)
            self.value(item)
        self.out += b"u"

    def integer(self, v):
        if 0 <= v < 1 << 8:
            self.out += struct.pack("<cB", b"K", v)
        elif 0 <= v < 1 << 16:
            self.out += struct.pack("<cH", b"M", v)
        elif -(1 << 31) <= v < 1 << 31:
            self.out += struct.pack("<ci", b"J", v)
        else:
            self.out += b"\x8a\x08" + struct.pack("<q", v)


class Stamp:
    def __init__(self, index, completed):
        self.index, self.completed = index, completed


class Frame:
    def __init__(self, name, filename, line):
        self.fields = {"name": name, "filename": filename, "line": line}


def frames_of():
    common = [Frame("wrapper", LIBRARY + "c10d_logger.py", 83)]
    outer = [Frame("train_step", "/workspace/trainer/loop.py", 77),
             Frame("main", "/workspace/trainer/train.py", 140),
             Frame("<module>", "/workspace/trainer/train.py", 152)]
    table = {}
    for n, (name, function, line, _, _) in enumerate(OPS):
        inner = Frame(name.strip("_").replace("_base", "_into_tensor"),
                      LIBRARY + "distributed_c10d.py", 3068 + 100 * n)
        table[n] = [inner] + common + [Frame(function, "/workspace/trainer/fsdp.py", line)] + outer
    return table


def entries_of(count, size, tensor, lacks_last):
    stacks = frames_of()
    seqs = [0, 0]
    for i in range(count - 1 if lacks_last else count):
        on_tensor = tensor is not None and i % 2 == 1 and i != count - 1
        n = i % len(OPS)
        members = tensor[1] if on_tensor else size
        seqs[on_tensor] += 1
        name, _, _, fed, made = OPS[n]
        hung = i == count - 1
        yield {
            "frames": stacks[n],
            "record_id": i,
            "pg_id": int(on_tensor),
            "process_group": (tensor[0], "tensor_parallel") if on_tensor else ("0", "default_pg"),
            "thread_name": "python3",
            "thread_id": "THREAD_ID_OF_RANK",
            "collective_seq_id": seqs[on_tensor],
            "p2p_seq_id": 0,
            "op_id": seqs[on_tensor],
            "profiling_name": "nccl:" + name,
            "time_created_ns": Stamp(i, False),
            "input_sizes": [[fed or made * members]],
            "input_dtypes": ["BFloat16"],
            "output_sizes": [[made or fed * members]],
            "output_dtypes": ["BFloat16"],
            "state": "scheduled" if hung else "completed",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns": None if hung else Stamp(i, True),
            "retired": not hung,
            "timeout_ms": TIMEOUT_MS,
            "is_p2p": False,
        }


def status(enqueued, completed):
    return {"last_enqueued_collective": enqueued, "last_started_collective": -1,
            "last_completed_collective": completed}


def template(args, group, lacks_last):
    """A dump with empty time stamps, for all ranks of one group."""
    tensor = None
    config = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(args.ranks)))}}
    if args.tensor:
        first = group * args.tensor
        ranks = list(range(first, min(first + args.tensor, args.ranks)))
        tensor = (str(1 + group), len(ranks))
        config[tensor[0]] = {"name": tensor[0], "desc": "tensor_parallel", "ranks": str(ranks)}
    entries = list(entries_of(args.entries, args.ranks, tensor, lacks_last))
    last = [sum(e["pg_id"] == g for e in entries) for g in (0, 1)]
    done = last[0] if lacks_last else last[0] - 1
    progress = {"0": status(last[0], done)}
    if tensor:
        progress["1"] = status(last[1], last[1])
    pickler = Pickler()
    pickler.value({"version": "2.10", "pg_config": config, "comm_lib_version": "2.28.9",
                   "pg_status": progress, "entries": entries})
    pickler.out += b"."
    return pickler


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory")
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--missing", type=int, default=None, help="default: rank 5, or the last")
    parser.add_argument("--tensor", type=int, default=0)
    args = parser.parse_args()
    missing = min(5, args.ranks - 1) if args.missing is None else args.missing
    os.makedirs(args.directory, exist_ok=True)
    made = {}
    for rank in range(args.ranks):
        key = (rank // args.tensor if args.tensor else 0, rank == missing)
        if key not in made:
            made[key] = template(args, *key)
        noise = random.Random(rank)
        out = bytearray(made[key].out)
        for offset, index, completed in made[key].stamps:
            ns = START_NS + index * STEP_NS + noise.randrange(400_000)
            struct.pack_into("<q", out, offset, ns + (90_000_000 if completed else 0))
        thread = str(14007_0000_0000_000 + rank * 4096).ljust(17, "0").encode()
        out = out.replace(b"THREAD_ID_OF_RANK", thread, 1)
        with open(os.path.join(args.directory, f"nccl_trace_rank_{rank}"), "wb") as f:
            f.write(out)


if __name__ == "__main__":
    main()
