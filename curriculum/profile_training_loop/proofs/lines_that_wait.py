"""Which lines of a training step need a value on the host, found by what they ask PyTorch for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class HostReads(TorchDispatchMode):
    """Notes operations whose result the host needs before it can go on."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A number, or a shape that depends on values."""
        name = func.__name__.split(".")[0]
        masks = args[1] if name == "index" else []
        by_mask = any(m is not None and m.dtype == torch.bool for m in masks)
        if name in {"_local_scalar_dense", "nonzero", "masked_select"} or by_mask:
            self.found.append(name)
        return func(*args, **(kwargs or {}))


def main() -> None:
    """Lines that are often seen in a loop, and what each asks for."""
    loss, total, x = torch.tensor(0.5), torch.zeros(()), torch.randn(8)
    weight = nn.Parameter(torch.ones(3))
    weight.grad = torch.ones(3)
    clip = torch.nn.utils.clip_grad_norm_

    waits: dict[str, Callable[[], object]] = {
        "loss.item()": loss.item,
        "float(loss)": lambda: float(loss),
        "f'{loss:.3f}'": lambda: f"{loss:.3f}",
        "if loss > 10": lambda: bool(loss > 10),
        "x[x > 0]": lambda: x[x > 0],
        "x.nonzero()": x.nonzero,
        "clip_grad_norm_(..., error_if_nonfinite=True)": lambda: clip(
            [weight], 1.0, error_if_nonfinite=True
        ),
    }
    does_not: dict[str, Callable[[], object]] = {
        "total += loss.detach()": lambda: total.add_(loss.detach()),
        "torch.where(x > 0, x, 0)": lambda: torch.where(x > 0, x, 0),
        "clip_grad_norm_(...)": lambda: clip([weight], 1.0),
        "logits.argmax() == y": lambda: torch.eq(x.argmax(), 3),
    }
    for lines, wanted in ((waits, True), (does_not, False)):
        for name, line in lines.items():
            with HostReads() as reads:
                line()
            print(f"{'waits' if wanted else 'goes on':8} {name:46} {', '.join(reads.found)}")
            assert bool(reads.found) is wanted, name


if __name__ == "__main__":
    main()
