"""Hidden rows of probabilities for sampling by top-k and top-p, and the token that is right.

Probabilities are whole multiples of 2⁻¹⁶, so sums in float32 are exact in any order; thresholds
lie at least a fifth of that from each sum of kept tokens, so no rounding decides. Many tokens have
equal probabilities: all that are as likely as the last kept one are kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32, I32
from hotloop.judge.seeds import Rng

UNIT = 1 << 16
EXACT = Tolerance(relative=0.0, absolute=0.0)


def rows(rng: Rng) -> Iterator[Case]:
    """Yield small and large vocabularies, one token kept, all kept, and probabilities of 0."""
    yield _case(rng, "5 tokens", 7, 5)
    yield _case(rng, "100 tokens", 5, 100)
    yield _case(rng, "1000 tokens, one is kept", 4, 1000, most_kept=1)
    yield _case(rng, "1000 tokens, all are kept", 4, 1000, everything=True)
    yield _case(rng, "4099 tokens", 3, 4099)
    yield _case(rng, "512 tokens of equal probability", 4, 512, flat=True)


def counted_rows(rng: Rng) -> Case:
    """Return a case for counting bytes."""
    return _case(rng, "2048 tokens", 3, 2048)


def fewest_bytes(case: Case) -> int:
    """Return the minimum bytes: each probability once, three numbers and a token for each row."""
    probabilities = case.arguments[0]
    assert isinstance(probabilities, InputTensor)
    return 4 * probabilities.values.size + 16 * len(probabilities.values)


def token(probabilities: Floats, top_k: Floats, top_p: Floats, uniform: Floats) -> Floats:
    """Return the token of each row: by sorting, which the kernel is to avoid."""
    found = np.zeros(len(probabilities))
    for row, (p, k, mass, u) in enumerate(zip(probabilities, top_k, top_p, uniform, strict=True)):
        kept = _kept(p, int(k), float(mass))
        found[row] = np.argmax((np.cumsum(kept) > u * kept.sum()) & (kept > 0))
    return found


def _kept(p: Floats, k: int, mass: float) -> Floats:
    """Return the probabilities, 0 where a token is cut off."""
    ordered = np.sort(p)[::-1]
    kept = np.where(p >= ordered[min(k, len(p)) - 1], p, 0.0)
    ordered = np.sort(kept)[::-1]
    enough = np.cumsum(ordered) >= mass * kept.sum()
    return np.where(kept >= ordered[np.argmax(enough)], kept, 0.0)


def _case(
    rng: Rng,
    label: str,
    count: int,
    vocabulary: int,
    *,
    most_kept: int = 0,
    everything: bool = False,
    flat: bool = False,
) -> Case:
    weights = rng.dirichlet(np.full(vocabulary, 8.0 if flat else 0.3), count)
    p = np.floor(weights * UNIT)
    if flat:
        p = np.full((count, vocabulary), float(UNIT // vocabulary))
    p[np.arange(count), rng.integers(0, vocabulary, count)] += UNIT - p.sum(-1)
    p /= UNIT
    # Single integers are drawn alike for the same shapes, so that top_k fits to top_p.
    most = most_kept or min(vocabulary, 60)
    top_k = np.array([int(rng.integers(1, most + 1)) for _ in range(count)])
    if everything:
        top_k = np.full(count, vocabulary)
    top_p, uniform = np.zeros(count), np.zeros(count)
    for row in range(count):
        first = _kept(p[row], int(top_k[row]), 1.0)
        top_p[row] = 1.0 if everything else _apart(rng, float(first.sum()), 0.3)
        kept = _kept(p[row], int(top_k[row]), top_p[row])
        uniform[row] = _apart(rng, float(kept.sum()), 0.0)
    tensors = (InputTensor(p, FP32), InputTensor(top_k, I32))
    numbers = (InputTensor(top_p, FP32), InputTensor(uniform, FP32))
    return Case(label, (*tensors, *numbers), TensorSpec((count,), I32))


def _apart(rng: Rng, mass: float, least: float) -> float:
    """Return a share of `mass`, in float32, that is far from each multiple of 2⁻¹⁶."""
    while True:
        share = float(np.float32(rng.uniform(least, 1.0)))
        if 0.2 < share * mass * UNIT % 1.0 < 0.8:
            return share
