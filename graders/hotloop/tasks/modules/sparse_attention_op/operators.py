"""Task 2: the operator's registration with PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.checks.correct import Case
from hotloop.judge.dtypes import FP16, FP32
from hotloop.tasks.modules.sparse_attention_op.patterns import EMPTY, FULL, Rng, sampled
from hotloop.tasks.modules.sparse_attention_op.references import odd_length, samples_of_every_kind


def cases(rng: Rng) -> Iterator[Case]:
    """Yield the same cases as for the reference."""
    for label, sample in samples_of_every_kind(rng):
        yield sample.case(label)


def side_by_side(rng: Rng) -> Iterator[Case]:
    """Yield cases for a graph in which a projection follows the operator.

    In 16 bits it has the type that the operator's fake kernel says.
    """
    for label, causal, dtype in (
        ("any length", False, FP32),
        ("any length, causal", True, FP32),
        ("float16", True, FP16),
    ):
        length = odd_length(rng, 16, int(rng.integers(3, 6)))
        shape = (int(rng.integers(2, 5)), 3, length, 16)
        yield sampled(rng, shape, 16, causal=causal, dtype=dtype).side_by_side_case(label)


def gradients(rng: Rng) -> Iterator[Case]:
    """Yield cases for the gradients of q, k and v."""
    odd = (2, 3, odd_length(rng, 16, 5), 32)
    yield sampled(rng, odd, 16).gradient_case("a last block that is shorter", rng)
    mixed = sampled(rng, odd, 16, fixed=(None, FULL, EMPTY))
    yield mixed.gradient_case("one head that keeps everything and one that keeps nothing", rng)
    yield sampled(rng, odd, 16, causal=True).gradient_case("causal", rng)
    # So it comes back from the layer that puts the heads side by side.
    side_by_side = (0, 2, 1, 3)
    yield sampled(rng, odd, 16).gradient_case("a gradient of heads side by side", rng, side_by_side)


def few_gradients(rng: Rng) -> Iterator[Case]:
    """Yield one case for a compiled graph, which is given 2q: the gates use 2q as well."""
    sample = sampled(rng, (1, 2, odd_length(rng, 16, 4), 16), 16, causal=True, fixed=(FULL, EMPTY))
    yield sample.gradient_case("in a compiled graph", rng)
