"""How layouts of the operands decide layout and communication of a product."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import (
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    distribute_tensor,
)
from torch.distributed.tensor.debug import CommDebugMode
from torch.testing._internal.distributed.fake_pg import FakeStore

RANKS = 4


def main() -> None:
    """Products in a group that only pretends: layouts and calls are real, sums are not."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    try:
        mesh = init_device_mesh("cpu", (RANKS,))

        def spread(rows: int, columns: int, placement: Placement) -> DTensor:
            whole = torch.ones(rows, columns)
            return distribute_tensor(whole, mesh, [placement])

        cases: list[tuple[str, Placement, Placement, Placement]] = [
            ("rows x whole", Shard(0), Replicate(), Shard(0)),
            ("whole x columns", Replicate(), Shard(1), Shard(1)),
            ("columns x rows", Shard(1), Shard(0), Partial()),
        ]
        for name, left, right, expected in cases:
            a, b = spread(8, 16, left), spread(16, 12, right)
            with CommDebugMode() as calls:
                c = a @ b
            print(f"{name:16} gives {c.placements[0]}, local {tuple(c.to_local().shape)},", end=" ")
            print("communication:", calls.get_total_counts())
            assert c.placements[0] == expected
            assert calls.get_total_counts() == 0
        for target in (Replicate(), Shard(0)):
            with CommDebugMode() as calls:
                c.redistribute(mesh, [target])
            made = {str(k).split(".")[-1]: v for k, v in calls.get_comm_counts().items()}
            print(f"partial sums to {target}:", made)
            assert sum(made.values()) == 1
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
