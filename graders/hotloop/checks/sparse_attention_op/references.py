"""Task 1: the paper in plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.checks.sparse_attention_op import truth
from hotloop.checks.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Drawn,
    Rng,
    draw,
    equal_gates,
    exact,
    tolerance,
)
from hotloop.judge.dtypes import FP16
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.correct import Case, Correct
from hotloop.judge.rungs.cuda_operator import Called

FILE = "reference.py"


def rungs() -> dict[str, Rung]:
    """First which blocks are kept, then the output."""
    return {
        "mask": Called("kept", Correct(_mask_cases, truth.kept_as_numbers, exact)),
        "correct": Correct(_cases, truth.attention, tolerance, after=("mask",)),
    }


def odd_length(rng: Rng, block: int, blocks: int) -> int:
    """So many blocks, and a last one that is shorter."""
    return block * (blocks - 1) + int(rng.integers(1, block))


def drawn_in_every_way(rng: Rng) -> Iterator[tuple[str, Drawn]]:
    """Lengths, thresholds, both kinds of heads, small and large numbers."""
    yield "one token", draw(rng, (1, 2, 1, 16), 16, fixed=(FULL, EMPTY))
    whole = (2, 2, 16 * int(rng.integers(4, 7)), 32)
    yield "a length that the block divides", draw(rng, whole, 16)
    short = (1, 2, int(rng.integers(2, 31)), 16)
    yield "less than one block", draw(rng, short, 32, fixed=(FULL, EMPTY))
    odd = (2, 3, odd_length(rng, 16, int(rng.integers(5, 8))), 32)
    yield "a last block that is shorter", draw(rng, odd, 16)
    mixed = draw(rng, odd, 16, fixed=(None, FULL, EMPTY), share=0.15)
    yield "one head that keeps everything and one that keeps nothing", mixed
    yield "causal", draw(rng, odd, 16, fixed=(None, FULL), causal=True)
    large = draw(rng, (1, 2, odd_length(rng, 32, 4), 64), 32, scale=6.0, share=0.5)
    yield "large scores", large
    yield "float16", draw(rng, (1, 2, odd_length(rng, 16, 6), 64), 16, dtype=FP16, causal=True)


def _mask_cases(rng: Rng) -> Iterator[Case]:
    for label, drawn in drawn_in_every_way(rng):
        yield drawn.mask_case(label)
    # The last block's mean decides when its tokens are few: a padded mean is far smaller.
    lonely = draw(rng, (1, 2, 4 * 32 + 1, 32), 32, share=0.5)
    yield lonely.mask_case("a last block of one token")
    yield equal_gates(rng).mask_case("gates that are equal to the threshold")


def _cases(rng: Rng) -> Iterator[Case]:
    for label, drawn in drawn_in_every_way(rng):
        yield drawn.case(label)
    apart = draw(rng, (2, 2, odd_length(rng, 16, 5), 32), 16, fixed=(None, EMPTY))
    yield apart.case("rows with a gap between them", gap=5)
