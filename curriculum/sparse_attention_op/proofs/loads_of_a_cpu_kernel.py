"""Loads of two kernels in C++, counted by the functions that g++ -fsanitize=thread calls."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import torch

from hotloop.core import paths
from hotloop.tasks import render

sys.path.append(str(Path(__file__).parent / "counting"))
import counting

WRONG = paths.solutions() / "sparse_attention_op/wrong/cpu_scores_of_all.patch"
LENGTH, DEPTH, BLOCK = 384, 32, 16
BLOCKS = LENGTH // BLOCK


def lists(density: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Random blocks, the same number in each row."""
    draws = torch.Generator().manual_seed(1)
    kept = round(density * BLOCKS)
    columns = torch.rand(1, 1, BLOCKS, BLOCKS, generator=draws).argsort(-1).to(torch.int32)
    return torch.full((1, 1, BLOCKS), kept, dtype=torch.int32), columns


def loaded(density: float) -> float:
    """Keys and values that are loaded, times those that a query's list names."""
    counts, columns = lists(density)
    q, k, v = (torch.randn(1, 1, LENGTH, DEPTH) for _ in range(3))
    counting.run(q, k, v, counts, columns, BLOCK, False, torch.empty_like(q))
    told = counting.counted()
    fewest = LENGTH * int(counts[0, 0, 0]) * BLOCK * DEPTH * 4 * 2
    return (told["k"][0] + told["v"][0]) / fewest


def main() -> None:
    """At three densities."""
    print("keys and values loaded, relative to those in each query's list")
    for label, path in (("along the list", None), ("scores of all keys first", WRONG)):
        source = Path(tempfile.mkdtemp()) / "kernel.cpp"
        files = render.submission("sparse_attention_op", path)
        source.write_bytes(files["sparse_attention.cpp"])
        counting.load(str(source))
        factors = {density: loaded(density) for density in (1 / 12, 1 / 4, 1 / 2)}
        told = "   ".join(f"{density:.0%} {factor:.1f}" for density, factor in factors.items())
        print(f"{label:26}{told}")
        assert (max(factors.values()) < 1.1) is (path is None)


if __name__ == "__main__":
    main()
