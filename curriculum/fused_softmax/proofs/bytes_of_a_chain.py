"""Counts the bytes that each PyTorch operation reads and writes, for the chain and for softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class ByteCounter(TorchDispatchMode):
    """Adds up the sizes of every operation's tensor arguments and results. Views cost nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        result = func(*args, **(kwargs or {}))
        for tensor in [a for a in args if isinstance(a, torch.Tensor)] + [result]:
            self.bytes += tensor.numel() * tensor.element_size()
        return result


def chain(x: torch.Tensor) -> torch.Tensor:
    """Softmax as five operations."""
    m = x.amax(dim=-1, keepdim=True)
    s = x - m
    e = torch.exp(s)
    d = e.sum(dim=-1, keepdim=True)
    return e / d


def in_place(x: torch.Tensor) -> torch.Tensor:
    """The same with two operations in place: less memory held, the same bytes moved."""
    s = x - x.amax(dim=-1, keepdim=True)
    e = s.exp_()
    return e.div_(e.sum(dim=-1, keepdim=True))


def per_element(function: Callable[[torch.Tensor], torch.Tensor], dtype: torch.dtype) -> float:
    """Bytes an element for rows so long that a row's maximum and sum don't count."""
    x = torch.randn(4, 1 << 16).to(dtype)
    with ByteCounter() as counter:
        function(x)
    return counter.bytes / x.numel()


def main() -> None:
    """Print bytes an element, and in units of the element's size."""
    for dtype in (torch.float32, torch.bfloat16):
        size = torch.empty((), dtype=dtype).element_size()
        for name, function in (
            ("five operations", chain),
            ("in place", in_place),
            ("torch.softmax", lambda x: torch.softmax(x, -1)),
        ):
            moved = per_element(function, dtype)
            print(f"{dtype}, {name}: {moved:.2f} bytes an element, {moved / size:.2f} s")
            wanted = 2 if name == "torch.softmax" else 8
            assert abs(moved / size - wanted) < 0.01


if __name__ == "__main__":
    main()
