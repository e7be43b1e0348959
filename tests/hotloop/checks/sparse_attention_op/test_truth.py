"""Our own truth: against a loop over tokens, and its gradients against differences."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from hotloop.checks.sparse_attention_op import kernels, patterns, truth
from hotloop.judge.dtypes import FP16, FP32, DType

Floats = np.ndarray


def token_by_token(drawn: patterns.Drawn) -> Floats:
    """The paper, read aloud."""
    q, k, v, block = drawn.q, drawn.k, drawn.v, drawn.block
    out = np.zeros(q.shape)
    batches, heads, length, depth = q.shape
    for b, h, m in np.ndindex(batches, heads, length):
        mine = q[b, h, m // block * block : (m // block + 1) * block].mean(0)
        weights, values = list[float](), list[Floats]()
        for n in range(length):
            theirs = k[b, h, n // block * block : (n // block + 1) * block].mean(0)
            kept = mine @ theirs / math.sqrt(depth) >= drawn.threshold[h]
            if kept and not (drawn.causal and n > m):
                weights.append(math.exp(q[b, h, m] @ k[b, h, n] / math.sqrt(depth)))
                values.append(v[b, h, n])
        if weights:
            out[b, h, m] = np.average(values, axis=0, weights=weights)
    return out


@pytest.mark.parametrize("causal", [False, True])
def test_the_output_is_that_of_the_paper(causal: bool) -> None:
    rng = np.random.default_rng(3)
    drawn = patterns.draw(
        rng, (1, 3, 21, 16), 8, causal=causal, fixed=(None, patterns.FULL, patterns.EMPTY)
    )
    got = truth.attention(drawn.q, drawn.k, drawn.v, drawn.threshold, 8, causal)
    np.testing.assert_allclose(got, token_by_token(drawn), atol=1e-12)


def test_lists_mean_what_the_pattern_means() -> None:
    rng = np.random.default_rng(4)
    drawn = patterns.draw(rng, (2, 2, 50, 16), 16)
    kept = truth.kept(drawn.q, drawn.k, drawn.threshold, 16, False)
    counts, columns = patterns.lists(kept, rng)
    assert columns[~truth.listed(counts, columns)].min() >= 1 << 20
    got = truth.attention_over_lists(drawn.q, drawn.k, drawn.v, counts, columns, 16, False)
    want = truth.attention(drawn.q, drawn.k, drawn.v, drawn.threshold, 16, False)
    np.testing.assert_array_equal(got, want)


def test_gradients_are_differences() -> None:
    rng = np.random.default_rng(5)
    drawn = patterns.draw(rng, (1, 2, 11, 16), 4, fixed=(None, patterns.EMPTY))
    grad = rng.standard_normal(drawn.shape)
    given = [drawn.q, drawn.k, drawn.v]
    found = truth.gradients(*given, drawn.threshold, grad, 4, False)
    step = 1e-6
    for index in range(3):
        place = tuple(int(rng.integers(n)) for n in drawn.shape)
        sides: list[float] = []
        for sign in (1, -1):
            moved = [x.copy() for x in given]
            moved[index][place] += sign * step
            out = truth.attention(*moved, drawn.threshold, 4, False)
            sides.append(float((out * grad).sum()))
        assert (sides[0] - sides[1]) / (2 * step) == pytest.approx(found[index][place], abs=1e-6)


@pytest.mark.parametrize("dtype", [FP32, FP16])
def test_thresholds_keep_their_distance(dtype: DType) -> None:
    rng = np.random.default_rng(6)
    for share in (0.1, 0.3, 0.6):
        drawn = patterns.draw(rng, (2, 2, 100, 32), 16, share=share, dtype=dtype)
        gates = truth.gates(drawn.q, drawn.k, 16)
        distance = np.abs(gates - drawn.threshold[:, None, None]).min()
        assert distance > 0.9 * patterns.GAP[dtype.name]
        assert abs((gates >= drawn.threshold[:, None, None]).mean() - share) < 0.15


def test_the_counted_pattern_shares_nothing_between_neighbours() -> None:
    for seed in range(20):
        case = kernels.thin(np.random.default_rng(seed))
        counts, columns = (a.values for a in case.arguments[3:5])
        rows = [set(columns[0, 0, r, :c]) for r, c in enumerate(counts[0, 0])]
        assert all(not a & b for a, b in pairwise(rows))
        assert kernels.fewest_bytes(case) < 0.35 * dense_bytes(case)


def dense_bytes(case: patterns.Case) -> int:
    """Of a kernel that visits every block."""
    q = case.arguments[0].values
    blocks = -(-q.shape[2] // 16)
    return 2 * q.size * 4 + blocks * 2 * q.size * 4
