"""Task 3: the Triton kernel over lists of kept blocks, its results and its memory traffic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.dtypes import FP16
from hotloop.tasks.modules.sparse_attention_op import truth
from hotloop.tasks.modules.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    listed,
    lists,
    sampled,
)
from hotloop.tasks.modules.sparse_attention_op.references import listed_cases, odd_length

MOST_KEPT = 3
CASE_S = 120.0
"""The Triton interpreter takes milliseconds per block, and a kernel may visit all blocks."""


def thin(rng: Rng) -> Case:
    """Return a case with few key blocks, none shared by adjacent rows: caching saves no loads."""
    block, blocks = 16, int(rng.integers(15, 18))
    length = odd_length(rng, block, blocks)
    sample = sampled(rng, (1, 1, length, 32), block, scale=4.0)
    kept = np.zeros((1, 1, blocks, blocks), np.bool_)
    before: set[int] = set()
    for row in range(blocks):
        free = [c for c in range(blocks) if c not in before]
        count = 0 if row == 1 else int(rng.integers(2, MOST_KEPT + 1))
        before = set(map(int, rng.choice(free, count, replace=False)))
        kept[0, 0, row, list(before)] = True
    return listed("one block in seven", sample, *lists(kept, rng))


def fewest_bytes(case: Case) -> int:
    """Return the bytes of queries, list entries, listed keys and values, and output, each once."""
    q, _, _, counts, columns, block, _ = case.arguments
    assert isinstance(q, InputTensor)
    assert isinstance(counts, InputTensor)
    assert isinstance(columns, InputTensor)
    assert isinstance(block, int)
    length, depth = q.values.shape[-2:]
    listed_places = truth.listed(counts.values, columns.values)
    starts = columns.values[listed_places] * block
    rows = int(np.minimum(block, length - starts).sum())
    elements = 2 * q.values.size + 2 * rows * depth
    return elements * q.dtype.bytes + 4 * (
        counts.values.size + int(np.count_nonzero(listed_places))
    )


def cases(rng: Rng) -> Iterator[Case]:
    """Yield small cases, because the Triton interpreter is slow."""
    yield from listed_cases(rng, batch=1, most_blocks=6, depth=32)
    apart = sampled(rng, (1, 2, odd_length(rng, 16, 4), 64), 16)
    yield apart.listed_case("rows with a gap between them", rng, gap=7)
    many = sampled(rng, (10, 13, int(rng.integers(5, 16)), 16), 16, fixed=(FULL, EMPTY))
    yield many.listed_case("a hundred and thirty heads in all", rng)
    half = sampled(rng, (1, 2, odd_length(rng, 32, 3), 64), 32, dtype=FP16, share=0.5)
    yield half.listed_case("float16", rng)


def for_a_compiler(rng: Rng) -> Case:
    """Return a case with the dtype and block size of a GPU run, for compilation."""
    half = sampled(rng, (1, 2, 64 * 3, 64), 64, dtype=FP16, causal=True, share=0.5)
    return half.listed_case("float16 in blocks of 64", rng)


def gpu_cases(rng: Rng) -> Iterator[Case]:
    """Yield the same cases, and a long one."""
    yield from cases(rng)
    long = sampled(rng, (2, 4, odd_length(rng, 64, 20), 64), 64, dtype=FP16, share=0.1)
    yield long.listed_case("a thousand tokens in float16", rng)
