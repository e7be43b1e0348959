"""Task 10: the kernel in C++ on a CPU, and what it never looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from hotloop.checks.sparse_attention_op import truth
from hotloop.checks.sparse_attention_op.counted import counted_loads
from hotloop.checks.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    draw,
    listed,
    lists,
    pointed_case,
    sunken_case,
    tolerance,
)
from hotloop.checks.sparse_attention_op.references import odd_length
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.correct import Case, Correct, Tensor

FILE = "cpu_op.py"


def rungs(gain: int = 1) -> dict[str, Rung]:
    """Right; right where all that is not listed is no number; and in proportion to the density.

    gain: of what comes out.
    """

    def gained(reference: Callable[..., Floats]) -> Callable[..., Floats]:
        return lambda *arguments: gain * reference(*arguments)

    def allowed(of: Callable[[Case], Tolerance]) -> Callable[[Case], Tolerance]:
        return lambda case: replace(of(case), absolute=gain * of(case).absolute)

    correct = Correct(_cases, gained(truth.attention_over_lists), allowed(tolerance))
    untouched = Correct(_poisoned, gained(_without_poison), allowed(_tolerance), after=("correct",))
    return {
        "correct": correct,
        "untouched": untouched,
        "traffic": partial(counted_loads, alone=(correct, untouched), gain=gain),
    }


def _cases(rng: Rng) -> Iterator[Case]:
    yield draw(rng, (1, 2, 1, 16), 16, fixed=(FULL, EMPTY)).listed_case("one token", rng)
    whole = draw(rng, (2, 2, 16 * int(rng.integers(4, 8)), 32), 16)
    yield whole.listed_case("a length that the block divides", rng)
    odd = (2, 3, odd_length(rng, 16, int(rng.integers(4, 9))), 32)
    mixed = draw(rng, odd, 16, fixed=(None, FULL, EMPTY), share=0.2)
    yield mixed.listed_case("one head that keeps everything and one that keeps nothing", rng)
    yield draw(rng, odd, 16, fixed=(None, FULL), causal=True).listed_case("causal", rng)
    large = (1, 2, odd_length(rng, 32, 4), 64)
    yield pointed_case("one key decides each query", rng, large, 32)
    yield pointed_case("one key decides each query, causal", rng, large, 32, causal=True)
    yield sunken_case("all scores far below 0", rng, (1, 2, odd_length(rng, 16, 3), 32), 16)
    small = draw(rng, (1, 4, odd_length(rng, 8, 12), 16), 8, share=0.1)
    yield small.listed_case("blocks of eight", rng)


def _poisoned(rng: Rng) -> Iterator[Case]:
    """Keys and values of blocks that no row of their head lists are NaN."""
    for share in (0.05, 0.1):
        drawn = draw(rng, (2, 2, odd_length(rng, 16, 12), 32), 16, share=share)
        kept = truth.kept(drawn.q, drawn.k, drawn.threshold, drawn.block, drawn.causal)
        kept[..., 1] = False
        used = np.repeat(kept.any(-2), drawn.block, -1)[..., : drawn.shape[2], None]
        poisoned = replace(
            drawn, k=np.where(used, drawn.k, np.nan), v=np.where(used, drawn.v, np.nan)
        )
        label = f"NaN wherever nobody looks, about {share:.0%} listed"
        yield listed(label, poisoned, *lists(kept, rng))


def _without_poison(
    q: Floats, k: Floats, v: Floats, counts: Floats, columns: Floats, block: int, causal: bool
) -> Floats:
    return truth.attention_over_lists(
        q, np.nan_to_num(k), np.nan_to_num(v), counts, columns, block, causal
    )


def _tolerance(case: Case) -> Tolerance:
    numbers = [
        replace(a, values=np.nan_to_num(a.values)) if isinstance(a, Tensor) else a
        for a in case.arguments
    ]
    return tolerance(replace(case, arguments=tuple(numbers)))
