"""What makes torch.compile compile again, counted by a backend that compiles nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


class Counting:
    """A backend: takes the graph as it is, and counts."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, module: fx.GraphModule, inputs: Sequence[Tensor]) -> Callable[..., Any]:
        """What torch.compile calls for a graph."""
        del inputs
        self.graphs += 1
        return module.forward


def compilations(
    function: Callable[..., Tensor], calls: Sequence[tuple[Any, ...]], **how: Any
) -> list[int]:
    """How often it had compiled after each call."""
    torch.compiler.reset()
    backend = Counting()
    compiled = torch.compile(function, backend=backend, **how)
    after: list[int] = []
    for arguments in calls:
        assert torch.equal(compiled(*arguments), function(*arguments))
        after.append(backend.graphs)
    return after


def double(x: Tensor) -> Tensor:
    """No size occurs in it."""
    return x * 2


def scaled(x: Tensor, factor: float) -> Tensor:
    """The first value that is seen is taken for a constant."""
    return x * factor


def looks_at_flag(x: Tensor, training: bool) -> Tensor:
    """Each value of the flag is a program of its own."""
    return x + 1 if training else x - 1


def main() -> None:
    """Print the counts."""
    sizes = [(torch.ones(n, 3),) for n in (4, 5, 6, 7, 1, 8)]
    expected = {None: [1, 2, 2, 2, 3, 3], True: [1, 1, 1, 1, 2, 2], False: [1, 2, 3, 4, 5, 6]}
    for dynamic, counts in expected.items():
        found = compilations(double, sizes, dynamic=dynamic)
        print(f"sizes 4, 5, 6, 7, 1, 8, dynamic={dynamic!s:5}: {found}")
        assert found == counts

    flags = [(torch.ones(3), flag) for flag in (True, False, True, False)]
    found = compilations(looks_at_flag, flags)
    print(f"a flag, two values in turn: {found}")
    assert found == [1, 2, 2, 2]

    limit = torch._dynamo.config.recompile_limit
    many = [(torch.ones(n + 2),) for n in range(limit + 4)]
    reached = compilations(double, many, dynamic=False)[-1]
    print(
        f"{len(many)} sizes, dynamic=False: {reached} compilations, then eager; the limit is "
        f"{limit}"
    )
    assert reached == limit == 8
    factors = [(torch.ones(3), 0.5 + n) for n in range(5)]
    found = compilations(scaled, factors)
    print(f"a float that is new in each call: {found}")
    assert found == [1, 2, 2, 2, 2], "from the second value on it is an input"


if __name__ == "__main__":
    main()
