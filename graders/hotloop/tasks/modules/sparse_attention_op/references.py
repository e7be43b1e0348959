"""Task 1: the paper's attention in plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.checks.correct import Case
from hotloop.judge.dtypes import FP16
from hotloop.tasks.modules.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    Sample,
    equal_gates,
    pointed_case,
    sampled,
    sunken_case,
)


def odd_length(rng: Rng, block: int, blocks: int) -> int:
    """Return a length of `blocks` blocks of which the last one is shorter."""
    return block * (blocks - 1) + int(rng.integers(1, block))


def samples_of_every_kind(rng: Rng) -> Iterator[tuple[str, Sample]]:
    """Yield samples of various lengths, thresholds, kinds of heads, and sizes of values."""
    yield "one token", sampled(rng, (1, 2, 1, 16), 16, fixed=(FULL, EMPTY))
    whole = (2, 2, 16 * int(rng.integers(4, 7)), 32)
    yield "a length that the block divides", sampled(rng, whole, 16)
    short = (1, 2, int(rng.integers(2, 31)), 16)
    yield "less than one block", sampled(rng, short, 32, fixed=(FULL, EMPTY))
    odd = (2, 3, odd_length(rng, 16, int(rng.integers(5, 8))), 32)
    yield "a last block that is shorter", sampled(rng, odd, 16)
    mixed = sampled(rng, odd, 16, fixed=(None, FULL, EMPTY), share=0.15)
    yield "one head that keeps everything and one that keeps nothing", mixed
    yield "causal", sampled(rng, odd, 16, fixed=(None, FULL), causal=True)
    large = sampled(rng, (1, 2, odd_length(rng, 32, 4), 64), 32, scale=6.0, share=0.5)
    yield "large scores", large
    yield "float16", sampled(rng, (1, 2, odd_length(rng, 16, 6), 64), 16, dtype=FP16, causal=True)


def listed_cases(rng: Rng, *, batch: int, most_blocks: int, depth: int) -> Iterator[Case]:
    """Yield cases for a kernel over lists of kept blocks: of every kind of list.

    most_blocks: a length has fewer. depth: of the cases in which one key decides.
    """
    yield sampled(rng, (1, 2, 1, 16), 16, fixed=(FULL, EMPTY)).listed_case("one token", rng)
    whole = sampled(rng, (batch, 2, 16 * int(rng.integers(4, most_blocks)), 32), 16)
    yield whole.listed_case("a length that the block divides", rng)
    odd = (2, 3, odd_length(rng, 16, int(rng.integers(4, most_blocks))), 32)
    mixed = sampled(rng, odd, 16, fixed=(None, FULL, EMPTY), share=0.2)
    yield mixed.listed_case("one head that keeps everything and one that keeps nothing", rng)
    yield sampled(rng, odd, 16, fixed=(None, FULL), causal=True).listed_case("causal", rng)
    large = (1, batch, odd_length(rng, 32, 4), depth)
    yield pointed_case("one key decides each query", rng, large, 32)
    yield pointed_case("one key decides each query, causal", rng, large, 32, causal=True)
    low = (1, batch, odd_length(rng, 16, 3), 32)
    yield sunken_case("all scores far below 0", rng, low, 16)


def mask_cases(rng: Rng) -> Iterator[Case]:
    """Yield cases for the mask of kept blocks."""
    for label, sample in samples_of_every_kind(rng):
        yield sample.mask_case(label)
    # The last block has one token, which decides its mean; padding would shrink that mean.
    lonely = sampled(rng, (1, 2, 4 * 32 + 1, 32), 32, share=0.5)
    yield lonely.mask_case("a last block of one token")
    yield equal_gates(rng).mask_case("gates that are equal to the threshold")


def cases(rng: Rng) -> Iterator[Case]:
    """Yield cases for the output."""
    for label, sample in samples_of_every_kind(rng):
        yield sample.case(label)
    apart = sampled(rng, (2, 2, odd_length(rng, 16, 5), 32), 16, fixed=(None, EMPTY))
    yield apart.case("rows with a gap between them", gap=5)
