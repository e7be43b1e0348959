"""Task 10: the C++ kernel on a CPU, and the memory that it must not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.tasks.modules.sparse_attention_op import patterns, truth
from hotloop.tasks.modules.sparse_attention_op.patterns import Rng, listed, lists, sampled
from hotloop.tasks.modules.sparse_attention_op.references import listed_cases, odd_length


def attention(
    q: Floats, k: Floats, v: Floats, counts: Floats, columns: Floats, block: int, causal: bool
) -> Floats:
    """Return attention over lists of kept blocks, times GAIN in a take-home's variant."""
    gain = constant("GAIN", 1, range(2, 401))
    return gain * truth.attention_over_lists(q, k, v, counts, columns, block, causal)


def without_poison(
    q: Floats, k: Floats, v: Floats, counts: Floats, columns: Floats, block: int, causal: bool
) -> Floats:
    """Return the same attention with every NaN in keys and values replaced by 0."""
    return attention(q, np.nan_to_num(k), np.nan_to_num(v), counts, columns, block, causal)


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance for both references; NaN in the arguments counts as 0."""
    numbers = [
        replace(a, values=np.nan_to_num(a.values)) if isinstance(a, InputTensor) else a
        for a in case.arguments
    ]
    allowed = patterns.tolerance(replace(case, arguments=tuple(numbers)))
    return replace(allowed, absolute=constant("GAIN", 1, range(2, 401)) * allowed.absolute)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield cases for every kind of list."""
    yield from listed_cases(rng, batch=2, most_blocks=9, depth=64)
    small = sampled(rng, (1, 4, odd_length(rng, 8, 12), 16), 8, share=0.1)
    yield small.listed_case("blocks of eight", rng)


def poisoned(rng: Rng) -> Iterator[Case]:
    """Yield cases in which keys and values of blocks that no row of their head lists are NaN."""
    for share in (0.05, 0.1):
        sample = sampled(rng, (2, 2, odd_length(rng, 16, 12), 32), 16, share=share)
        kept = truth.kept(sample.q, sample.k, sample.threshold, sample.block, sample.causal)
        kept[..., 1] = False
        used = np.repeat(kept.any(-2), sample.block, -1)[..., : sample.shape[2], None]
        poisoned = replace(
            sample, k=np.where(used, sample.k, np.nan), v=np.where(used, sample.v, np.nan)
        )
        label = f"NaN wherever nobody looks, about {share:.0%} listed"
        yield listed(label, poisoned, *lists(kept, rng))
