"""How many graphs a compiled step becomes: a value read, a list, a short batch, a number."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch

Step = Callable[..., Any]


class Counting:
    """A compiler that compiles nothing and counts the graphs that it is given."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
        """Take one graph."""
        self.graphs += 1
        return graph.forward


def loss_of(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Stands for model and loss."""
    return (x @ weight).relu().square().mean()


def reads(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Looks at the loss in the middle."""
    loss = loss_of(x, weight)
    if loss.item() > 1e9:
        raise ValueError("diverged")
    return loss * 0.5


def keeps(x: torch.Tensor, weight: torch.Tensor, log: list[torch.Tensor]) -> torch.Tensor:
    """Appends to a list that lives outside."""
    loss = loss_of(x, weight)
    log.append(loss.detach())
    return loss * 0.5


def scaled(x: torch.Tensor, weight: torch.Tensor, rate: int) -> torch.Tensor:
    """Takes a Python number that changes."""
    return loss_of(x, weight) * rate


def graphs(step: Step, calls: list[tuple[Any, ...]]) -> list[int]:
    """How many graphs there were after each call."""
    torch._dynamo.reset()
    compiler = Counting()
    compiled = torch.compile(step, backend=compiler)
    found = []
    for arguments in calls:
        compiled(*arguments)
        found.append(compiler.graphs)
    torch._dynamo.reset()
    return found


def main() -> None:
    """Count graphs over a few steps."""
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    weight, log = torch.randn(4, 4), []
    x = torch.randn(8, 4)
    same = [(x, weight)] * 4
    found = {
        "the loss only": graphs(loss_of, same),
        "looked at inside": graphs(reads, same),
        "appended to a list inside": graphs(keeps, [(*a, log) for a in same]),
        "batches of 8, 8, 5, 3": graphs(
            loss_of, [(torch.randn(n, 4), weight) for n in (8, 8, 5, 3)]
        ),
        "a number that changes": graphs(
            scaled, [(*a, n) for a, n in zip(same, (2, 3, 4, 5), strict=True)]
        ),
    }
    for name, counts in found.items():
        print(f"{name:26} graphs after each of four steps: {counts}")
    assert found["the loss only"] == [1, 1, 1, 1]
    assert found["looked at inside"][0] == 2, "before the read, and behind it"
    assert found["appended to a list inside"] == [1, 2, 3, 4], "its length is assumed: one a step"
    assert found["batches of 8, 8, 5, 3"] == [1, 1, 2, 2], "the second shape makes it general"
    assert found["a number that changes"][-1] == 2


if __name__ == "__main__":
    main()
