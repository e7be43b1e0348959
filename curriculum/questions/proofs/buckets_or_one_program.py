"""Lengths of any size: one program each, buckets, or one program with a free size."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def buckets(least: int, most: int, factor: float) -> list[int]:
    """Sizes that grow by a factor until the longest fits."""
    sizes = [least]
    while sizes[-1] < most:
        sizes.append(min(most, math.ceil(sizes[-1] * factor)))
    return sizes


def graphs_for(sizes: list[int], dynamic: bool | None) -> int:
    """How many graphs torch.compile makes for calls of these sizes."""
    made: list[int] = []

    def count(graph: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
        made.append(1)
        return graph.forward

    torch._dynamo.reset()
    fn = torch.compile(lambda x: torch.relu(x).sum(), backend=count, dynamic=dynamic)
    for n in sizes:
        fn(torch.ones(n, 4))
    return len(made)


def main() -> None:
    """Programs and padding for lengths from 16 to 2048, then what Dynamo does by itself."""
    rng = np.random.default_rng(0)
    lengths = [int(n) for n in np.exp(rng.uniform(np.log(16), np.log(2048), 20_000))]
    print(f"{len(set(lengths))} different lengths in 20,000 requests")
    for factor in (2.0, 1.25):
        sizes = buckets(16, 2048, factor)
        padded = sum(sizes[bisect.bisect_left(sizes, n)] for n in lengths) / sum(lengths)
        print(f"buckets that grow by {factor}: {len(sizes)} programs, {padded:.2f} times the work")
        least = math.ceil(math.log(2048 / 16) / math.log(factor)) + 1
        assert abs(len(sizes) - least) <= 1
        assert padded < factor
    assert len(buckets(16, 2048, 2.0)) == 8

    many = [5, 6, 7, 8, 9, 33]
    for name, dynamic, sizes, expected in (
        ("left to itself", None, many, 2),
        ("dynamic=False", False, many, 6),
        ("dynamic=True", True, many, 1),
        ("dynamic=True, with a 1", True, [5, 1, 6], 2),
    ):
        found = graphs_for(sizes, dynamic)
        print(f"torch.compile, {name}: {len(set(sizes))} lengths, {found} graphs")
        assert found == expected


if __name__ == "__main__":
    main()
