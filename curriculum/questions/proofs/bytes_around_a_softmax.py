"""Bytes that attention moves when scores go through memory, counted for each operation."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

VIEWS = ("transpose", "expand", "view", "_unsafe_view", "detach", "t.default")


class Traffic(TorchDispatchMode):
    """Adds up what each operation reads and writes, in bytes; views move nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes: dict[str, int] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        out = func(*args, **(kwargs or {}))
        name = str(func).removeprefix("aten.")
        if not name.startswith(VIEWS):
            moved = sum(t.nbytes for t in tree_leaves((args, out)) if torch.is_tensor(t))
            self.bytes[name] = self.bytes.get(name, 0) + moved
        return out


def main() -> None:
    """One head of 64 at three lengths, in bfloat16."""
    for tokens in (256, 1024, 4096):
        q, k, v = torch.empty(3, 1, 1, tokens, 64, dtype=torch.bfloat16, device="meta")
        with Traffic() as naive:
            torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        scores = tokens * tokens * 2
        ends = 4 * tokens * 64 * 2
        total = sum(naive.bytes.values())
        print(
            f"{tokens:4} tokens: through memory {total / 2**20:6.1f} MiB = 4 x {scores / 2**20:.1f}"
            f" for scores + {ends / 2**20:.1f}; fused at least {ends / 2**20:.1f} MiB"
        )
        assert total == 4 * scores + ends
    parts = torch.ones(3, 1, 1, 256, 64).unbind()
    with Traffic() as fused:
        functional.scaled_dot_product_attention(*parts)
    ends = 4 * 256 * 64 * 4
    moved = sum(fused.bytes.values()) / ends
    print(f"as one operation on a CPU: {moved:.2f} times the ends are moved by", *fused.bytes)
    assert moved < 1.1
    flops = 4 * 4096 * 4096 * 64
    apart, together = flops / (4 * 4096**2 * 2 + 4 * 4096 * 64 * 2), flops / (4 * 4096 * 64 * 2)
    print(f"operations a byte at 4096: {apart:.0f} through memory, {together:.0f} fused")
    assert apart < 295 < together, "on the other side of the ridge"


if __name__ == "__main__":
    main()
