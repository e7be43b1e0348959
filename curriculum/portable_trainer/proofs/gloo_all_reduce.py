"""The bytes that gloo's all-reduce moves between four processes, at the network interface."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist

RANKS, ELEMENTS, TIMES = 4, 1 << 20, 4


def interface_bytes() -> int:
    """Return what the interface `lo` has received, by the kernel's count."""
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()
    (line,) = [line for line in lines if line.split(":")[0].strip() == "lo"]
    return int(line.split(":")[1].split()[0])


def join(rank: int, store: str) -> None:
    """Reduce; rank 0 prints."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(store, RANKS), rank=rank, world_size=RANKS)
    x = torch.full((ELEMENTS,), float(rank))
    dist.barrier()
    before = interface_bytes()
    for _ in range(TIMES):
        dist.all_reduce(x)
    dist.barrier()
    if rank == 0:
        assert x[0] == sum(range(RANKS)) * RANKS ** (TIMES - 1)
        moved = (interface_bytes() - before) / TIMES
        fewest = 2 * (RANKS - 1) * ELEMENTS * 4
        print(f"{RANKS} processes, {ELEMENTS * 4 / 1e6:.1f} MB: {fewest / 1e6:.1f} MB at least")
        print(f"measured: {moved / fewest:.2f} times as many move over the interface")
        assert 0.99 < moved / fewest < 2


def main() -> None:
    """Start the other ranks, and be rank 0."""
    store = tempfile.mkdtemp() + "/store"
    children: list[int] = []
    for rank in range(1, RANKS):
        child = os.fork()
        if child == 0:
            join(rank, store)
            os._exit(0)
        children.append(child)
    join(0, store)
    for child in children:
        os.waitpid(child, 0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
