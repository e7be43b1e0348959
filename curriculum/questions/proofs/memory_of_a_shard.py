"""What each of eight ranks holds, counted on one of them by a group that only pretends."""

from __future__ import annotations

import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

RANKS = 8


def local_bytes(net: nn.Module) -> int:
    """Bytes of parameters on this rank."""
    total = 0
    for p in net.parameters():
        local = p.to_local() if hasattr(p, "to_local") else p
        total += local.nbytes
    return total


def a_parameter(stage: str, ranks: int) -> float:
    """Bytes a parameter and rank: bfloat16 weights and gradients, float32 copy and two moments."""
    return {
        "all on each rank": 2 + 2 + 12,
        "optimizer split": 2 + 2 + 12 / ranks,
        "gradients split too": 2 + (2 + 12) / ranks,
        "weights split too": (2 + 2 + 12) / ranks,
    }[stage]


def main() -> None:
    """Count a small network, then compute a large one."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    try:
        mesh = init_device_mesh("cpu", (RANKS,))
        net = nn.Sequential(*(nn.Linear(256, 256, bias=False) for _ in range(4)))
        whole = local_bytes(net)
        for layer in net:
            fully_shard(layer, mesh=mesh)
        fully_shard(net, mesh=mesh)
        split = local_bytes(net)
        print(f"4 layers: {whole:,} bytes, on one of {RANKS} ranks {split:,}")
        assert split * RANKS == whole
        layer = net[1]
        assert isinstance(layer, FSDPModule)
        layer.unshard()
        print(f"while one layer works, it is whole: {local_bytes(net):,}")
        assert local_bytes(net) == split + (whole // 4) * (RANKS - 1) // RANKS
        layer.reshard()
        assert local_bytes(net) == split
    finally:
        dist.destroy_process_group()

    stages = ("all on each rank", "optimizer split", "gradients split too", "weights split too")
    for stage in stages:
        gigabytes = a_parameter(stage, 64) * 7.5
        print(f"7.5 billion on 64: {stage:20} {gigabytes:6.1f} GB a rank")
    assert round(a_parameter("optimizer split", 64) * 7.5, 1) == 31.4
    assert round(a_parameter("weights split too", 64) * 7.5, 1) == 1.9


if __name__ == "__main__":
    main()
