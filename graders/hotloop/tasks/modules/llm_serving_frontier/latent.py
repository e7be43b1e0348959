"""Hidden latent caches with sliding windows, and attention over them.

Source: DeepSeek-V2, 2024: after absorbing the matrices of keys and values into queries and output,
all heads attend to one latent vector a token, with a part that carries the position.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP16, I32
from hotloop.judge.seeds import Rng

TOLERANCE = Tolerance(2**-8, 6e-3)
"""For attention in float16: inputs are exact, shares and output are rounded once."""


def caches(rng: Rng) -> Iterator[Case]:
    """Yield windows below, at and above the length, one head, and large scores."""
    yield _case(rng, "windows longer than the sequences", [7, 33, 48], [64, 64, 64], 16)
    yield _case(rng, "windows shorter than the sequences", [50, 61, 80], [16, 9, 33], 16)
    yield _case(rng, "a window of one token", [40, 1], [1, 1], 8)
    yield _case(rng, "windows of exactly the length", [32, 17], [32, 17], 16)
    yield _case(rng, "five heads", [29, 64], [20, 64], 5)
    yield _case(rng, "scores of several hundred", [45, 20], [30, 20], 16, scale=12.0)


def counted_caches(rng: Rng) -> Case:
    """Return a case for counting bytes: most of the cache is outside of the windows."""
    lengths = [int(rng.integers(100, 160)) for _ in range(3)]
    return _case(rng, "long sequences, short windows", lengths, [32, 48, 16], 16)


def compiled_caches(rng: Rng) -> Case:
    """Return a case with a wider latent vector, for compilation."""
    return _case(rng, "latent vectors of 64", [64, 40], [64, 32], 16, width=64, rope=32)


def fewest_bytes(case: Case) -> int:
    """Return the minimum bytes: a latent vector of each visible token, queries, output, plan."""
    q, q_rope, cache, positions, windows = case.arguments
    assert isinstance(q, InputTensor)
    assert isinstance(q_rope, InputTensor)
    assert isinstance(cache, InputTensor)
    assert isinstance(positions, InputTensor)
    assert isinstance(windows, InputTensor)
    visible = int(np.minimum(positions.values + 1, windows.values).sum())
    tokens = 2 * visible * cache.values.shape[2]
    return tokens + 4 * q.values.size + 2 * q_rope.values.size + 8 * len(q.values)


def decoded(q: Floats, q_rope: Floats, cache: Floats, positions: Floats, windows: Floats) -> Floats:
    """Return the output of each sequence's last token: [sequences, heads, R]."""
    found, width = np.zeros_like(q), q.shape[2]
    for row, (last, window) in enumerate(zip(positions, windows, strict=True)):
        seen = cache[row, max(0, int(last - window) + 1) : int(last) + 1]
        scores = q[row] @ seen[:, :width].T + q_rope[row] @ seen[:, width:].T
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        found[row] = shares / shares.sum(-1, keepdims=True) @ seen[:, :width]
    return found


def _case(
    rng: Rng,
    label: str,
    lengths: list[int],
    windows: list[int],
    heads: int,
    *,
    width: int = 32,
    rope: int = 16,
    scale: float = 1.0,
) -> Case:
    """Return sequences whose unused slots are not zero; a kernel that uses one is far off."""
    count, longest = len(lengths), max(lengths) + 3
    cache = rng.standard_normal((count, longest, width + rope))
    for row, length in enumerate(lengths):
        cache[row, length:] = rng.choice([300.0, -300.0, np.nan], (longest - length, width + rope))
    q = scale * rng.standard_normal((count, heads, width)) / width**0.25
    q_rope = scale * rng.standard_normal((count, heads, rope)) / rope**0.25
    tensors = (InputTensor(q, FP16), InputTensor(q_rope, FP16), InputTensor(cache, FP16))
    plan = (InputTensor(np.array(lengths) - 1, I32), InputTensor(np.array(windows), I32))
    return Case(label, (*tensors, *plan), TensorSpec(q.shape, FP16))
