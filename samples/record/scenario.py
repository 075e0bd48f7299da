"""Small jobs for recording: healthy ones with legal oddities, and merely noisy ones.

usage (under torchrun): scenario.py NAME
Every function below is one scenario; `record` runs them all. Each ends with exit status 0 on every rank: an
analyzer must not call any of them a fault.
"""
import faulthandler
import logging
import os
import pickle
import sys
import time

import torch
import torch.distributed as dist

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s rank=" + os.environ["RANK"] + " %(message)s")
log = logging.getLogger("train")
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEV = torch.device("cuda:0")


def ones(n, dtype=torch.float32):
    return torch.ones(n, device=DEV, dtype=dtype)


def steps(n=4, size=65536):
    for i in range(n):
        dist.all_reduce(ones(size))
        log.info("step %d loss %.3f", i, 3.0 / (i + 1))
    torch.cuda.synchronize()


def reductions():
    steps()
    for op in (dist.ReduceOp.AVG, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT):
        dist.all_reduce(ones(1024), op=op)


def premul_sum():
    steps()
    for factor in (0.5, 0.25):
        dist.all_reduce(ones(4096), op=dist._make_nccl_premul_sum(factor))


def dtypes():
    steps()
    for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.uint8):
        dist.all_reduce(ones(2048, dtype))


def roots():
    steps()
    for root in range(WORLD):
        dist.broadcast(ones(512), root)
        dist.reduce(ones(512), root)


def zero_counts():
    steps()
    dist.all_reduce(ones(0))
    dist.broadcast(ones(0), 0)
    dist.all_gather_into_tensor(ones(0), ones(0))


def uneven_all_to_all():
    steps()
    sends = [(RANK + peer) % 3 for peer in range(WORLD)]
    receives = [(peer + RANK) % 3 for peer in range(WORLD)]
    dist.all_to_all_single(ones(sum(receives)), ones(sum(sends)), receives, sends)


def even_all_to_all():
    steps()
    dist.all_to_all_single(ones(WORLD * 256), ones(WORLD * 256))


def grouped_send_recv_in_other_order():
    steps()
    ops = []
    for distance in range(1, WORLD):
        to, source = (RANK + distance) % WORLD, (RANK - distance) % WORLD
        ops += [dist.P2POp(dist.isend, ones(128 * distance), to), dist.P2POp(dist.irecv, ones(128 * distance), source)]
    if RANK % 2:
        ops.reverse()
    for work in dist.batch_isend_irecv(ops):
        work.wait()


def pipeline_send_recv():
    for micro in range(4):
        buffer = ones(4096)
        if RANK > 0:
            dist.recv(buffer, RANK - 1)
        if RANK < WORLD - 1:
            dist.send(buffer, RANK + 1)
        log.info("step %d done", micro)


def uneven_gathers_of_objects():
    steps()
    everything = [None] * WORLD
    dist.all_gather_object(everything, "x" * (10 + 100 * RANK))
    dist.broadcast_object_list([{"epoch": 1}] if RANK == 0 else [None], src=0)
    dist.gather_object(list(range(RANK)), everything if RANK == 0 else None, dst=0)


def coalesced():
    steps()
    inputs = [ones(1024), ones(2048)]
    with dist._coalescing_manager(device=DEV, async_ops=True) as manager:
        for tensor in inputs:
            dist.all_reduce(tensor)
    manager.wait()
    with dist._coalescing_manager(device=DEV, async_ops=True) as manager:
        for n in (256, 512):
            dist.all_gather_into_tensor(ones(n * WORLD), ones(n))
    manager.wait()


def uneven_reduce_scatter_lists():
    steps()
    sizes = [64 * (r + 1) for r in range(WORLD)]
    dist.reduce_scatter(ones(sizes[RANK]), [ones(n) for n in sizes])
    dist.all_gather([ones(n) for n in sizes], ones(sizes[RANK]))


def groups_in_different_numbers():
    """Ranks of different tensor-parallel groups legally issue different numbers of collectives."""
    tensor = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    data = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    mine = tensor[RANK // 2]
    for i in range(4):
        for _ in range(2 if RANK < 2 else 3):
            dist.all_reduce(ones(1024 if RANK < 2 else 3072), group=mine)
        dist.reduce_scatter_tensor(ones(512), ones(1024), group=data[RANK % 2])
        dist.all_gather_into_tensor(ones(1024), ones(512), group=data[RANK % 2])
        log.info("step %d loss %.3f", i, 1.0)
    dist.barrier()


def ddp():
    from torch.nn.parallel import DistributedDataParallel

    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Linear(256, 8)).to(DEV))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for i in range(4):
        model(torch.randn(16, 64, device=DEV)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        log.info("step %d", i)


def barriers():
    for _ in range(5):
        dist.barrier()
        dist.barrier(device_ids=[0])
    steps(2)


def slow_rank_with_stack_dump():
    """A rank is slow, faulthandler prints `Timeout` and stacks: the job still ends well."""
    steps(2)
    if RANK == 2:
        faulthandler.dump_traceback_later(2)
        time.sleep(4)
        faulthandler.cancel_dump_traceback_later()
    steps(2)


def caught_errors():
    """Errors that the program catches and logs with tracebacks: it goes on and ends well."""
    steps(2)
    if RANK == 1:
        try:
            torch.empty(1 << 50, device=DEV)
        except RuntimeError:
            log.exception("allocation failed, going on with a smaller batch")
        try:
            {}["missing"]
        except KeyError:
            log.exception("sample skipped")
    steps(2)


def live_recorder_dump():
    """Every rank writes a Flight Recorder dump while it is healthy."""
    steps(3)
    dump = torch._C._distributed_c10d._dump_nccl_trace()
    with open(os.path.join(os.environ["RECORD_DIR"], f"nccl_trace_rank_{RANK}"), "wb") as f:
        f.write(dump)
    assert pickle.loads(dump)["entries"]
    dist.barrier()
    steps(2)


def main():
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", device_id=None)
    globals()[sys.argv[1]]()
    torch.cuda.synchronize()
    if sys.argv[1] != "groups_in_different_numbers":
        dist.barrier()
    torch.cuda.synchronize()
    dist.destroy_process_group()
    log.info("done")


main()
