"""Which operations autocast runs in 16 bits, what stays in 32, and where it has nothing to do."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode


class Types(TorchDispatchMode):
    """Notes each operation with the type of its result."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, torch.dtype]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note one operation."""
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            self.seen.append((func.__name__.split(".")[0], out.dtype))
        return out

    def of(self, name: str) -> list[torch.dtype]:
        """The types of one operation's results."""
        return [dtype for seen, dtype in self.seen if seen == name]


def main() -> None:
    """A small network under autocast on the CPU, then what 16 bits do to small gradients."""
    linear, x = nn.Linear(64, 64), torch.randn(8, 64)
    with torch.autocast("cpu", torch.bfloat16), Types() as types:
        hidden = linear(linear(x))
        loss = functional.cross_entropy(hidden, torch.zeros(8, dtype=torch.long))
        mixed = hidden + x
    casts = types.of("_to_copy")
    print("products:", types.of("addmm"), "loss:", loss.dtype, "bfloat16 + float32:", mixed.dtype)
    print("casts:", casts)
    assert set(types.of("addmm")) == {torch.bfloat16}
    assert loss.dtype == mixed.dtype == torch.float32
    # Input, weight and bias; the weight is used twice and cast once; the loss casts back.
    assert casts == [torch.bfloat16] * 3 + [torch.float32]
    assert linear.weight.dtype == torch.float32, "parameters, gradients, optimizer: as they were"
    loss.backward()
    assert linear.weight.grad is not None
    assert linear.weight.grad.dtype == torch.float32

    chain = torch.randn(8, 64)
    with torch.autocast("cpu", torch.bfloat16), Types() as types:
        (chain.relu() * 2 + 1).tanh()
    print("a chain without a product:", {dtype for _, dtype in types.seen})
    assert {dtype for _, dtype in types.seen} == {torch.float32}, "nothing is cast, nothing gained"

    small = torch.tensor(1e-8)
    print("1e-8 in float16:", small.half().item(), "in bfloat16:", small.bfloat16().item())
    assert small.half() == 0 != small.bfloat16()
    assert (small * 2.0**16).half() > 0, "what a loss scale is for"
    assert torch.tensor(70000.0).half().isinf()
    assert not torch.tensor(70000.0).bfloat16().isinf()

    for share in (0.2, 0.5, 0.9):
        print(
            f"{share:.0%} of a step in products, these 4 times as fast: the step "
            f"{1 / (1 - share + share / 4):.2f} times"
        )
    assert round(1 / (0.8 + 0.2 / 4), 2) == 1.18


if __name__ == "__main__":
    main()
