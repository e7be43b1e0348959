"""The judge's truth: against a loop over tokens, and its gradients against finite differences."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.dtypes import FP16, FP32, DType
from hotloop.judge.session import Session
from hotloop.tasks.modules.sparse_attention_op import kernels, patterns, silent_exports, truth

Floats = np.ndarray


def token_by_token(sample: patterns.Sample) -> Floats:
    """The paper's formula, one token at a time."""
    q, k, v, block = sample.q, sample.k, sample.v, sample.block
    out = np.zeros(q.shape)
    batches, heads, length, depth = q.shape
    for b, h, m in np.ndindex(batches, heads, length):
        mine = q[b, h, m // block * block : (m // block + 1) * block].mean(0)
        weights, values = list[float](), list[Floats]()
        for n in range(length):
            theirs = k[b, h, n // block * block : (n // block + 1) * block].mean(0)
            kept = mine @ theirs / math.sqrt(depth) >= sample.threshold[h]
            if kept and not (sample.causal and n > m):
                weights.append(math.exp(q[b, h, m] @ k[b, h, n] / math.sqrt(depth)))
                values.append(v[b, h, n])
        if weights:
            out[b, h, m] = np.average(values, axis=0, weights=weights)
    return out


@pytest.mark.parametrize("causal", [False, True])
def test_the_output_is_that_of_the_paper(causal: bool) -> None:
    rng = np.random.default_rng(3)
    sample = patterns.sampled(
        rng, (1, 3, 21, 16), 8, causal=causal, fixed=(None, patterns.FULL, patterns.EMPTY)
    )
    got = truth.attention(sample.q, sample.k, sample.v, sample.threshold, 8, causal)
    np.testing.assert_allclose(got, token_by_token(sample), atol=1e-12)


def test_lists_mean_what_the_pattern_means() -> None:
    rng = np.random.default_rng(4)
    sample = patterns.sampled(rng, (2, 2, 50, 16), 16)
    kept = truth.kept(sample.q, sample.k, sample.threshold, 16, False)
    counts, columns = patterns.lists(kept, rng)
    assert columns[~truth.listed(counts, columns)].min() >= 1 << 20
    got = truth.attention_over_lists(sample.q, sample.k, sample.v, counts, columns, 16, False)
    want = truth.attention(sample.q, sample.k, sample.v, sample.threshold, 16, False)
    np.testing.assert_array_equal(got, want)


def test_gradients_are_differences() -> None:
    rng = np.random.default_rng(5)
    sample = patterns.sampled(rng, (1, 2, 11, 16), 4, fixed=(None, patterns.EMPTY))
    grad = rng.standard_normal(sample.shape)
    given = [sample.q, sample.k, sample.v]
    found = truth.gradients(*given, sample.threshold, grad, 4, False)
    step = 1e-6
    for index in range(3):
        place = tuple(int(rng.integers(n)) for n in sample.shape)
        sides: list[float] = []
        for sign in (1, -1):
            moved = [x.copy() for x in given]
            moved[index][place] += sign * step
            out = truth.attention(*moved, sample.threshold, 4, False)
            sides.append(float((out * grad).sum()))
        assert (sides[0] - sides[1]) / (2 * step) == pytest.approx(found[index][place], abs=1e-6)


@pytest.mark.parametrize("dtype", [FP32, FP16])
def test_thresholds_keep_their_distance(dtype: DType) -> None:
    rng = np.random.default_rng(6)
    for share in (0.1, 0.3, 0.6):
        sample = patterns.sampled(rng, (2, 2, 100, 32), 16, share=share, dtype=dtype)
        gates = truth.gates(sample.q, sample.k, 16)
        distance = np.abs(gates - sample.threshold[:, None, None]).min()
        assert distance > 0.9 * patterns.GAP[dtype.name]
        assert abs((gates >= sample.threshold[:, None, None]).mean() - share) < 0.15


def test_the_counted_pattern_shares_nothing_between_neighbors() -> None:
    for seed in range(20):
        case = kernels.thin(np.random.default_rng(seed))
        counts, columns = (a.values for a in case.arguments[3:5])
        rows = [set(columns[0, 0, r, :c]) for r, c in enumerate(counts[0, 0])]
        assert all(not a & b for a, b in pairwise(rows))
        assert kernels.fewest_bytes(case) < 0.35 * dense_bytes(case)


def dense_bytes(case: patterns.Case) -> int:
    """Return the bytes of a kernel that visits every block."""
    q = case.arguments[0].values
    blocks = -(-q.shape[2] // 16)
    return 2 * q.size * 4 + blocks * 2 * q.size * 4


@pytest.mark.parametrize("seed", range(20))
def test_gates_decide_by_equality_and_by_what_float16_loses(seed: int) -> None:
    sample = patterns.equal_gates(np.random.default_rng(seed))
    wide = truth.kept(sample.q, sample.k, sample.threshold, sample.block, sample.causal)
    gates = truth.gates(sample.q, sample.k, sample.block)
    assert (gates == sample.threshold[:, None, None]).any()
    singles = [x.astype(np.float32) for x in (sample.q, sample.k, sample.threshold)]
    assert (truth.kept(*singles, sample.block, sample.causal) == wide).all()
    half = [x.astype(np.float16).astype(np.float64) for x in (sample.q, sample.k, sample.threshold)]
    for q, k, threshold in ((half[0], half[1], sample.threshold), (sample.q, sample.k, half[2])):
        assert (truth.kept(q, k, threshold, sample.block, sample.causal) != wide).any()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("causal", [False, True])
def test_deciding_keys_are_listed_and_not_listed(causal: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = patterns.pointed_case("pointed", rng, (1, 1, 120, 32), 32, causal=causal)
    q, k, _, counts, columns = (
        a.rounded() for a in case.arguments[:5] if isinstance(a, InputTensor)
    )
    scores = q[0, 0] @ k[0, 0].T / math.sqrt(32)
    best, row = scores.argmax(1), np.arange(120)
    rising = np.sort(scores, axis=1)
    assert (rising[:, -1] - rising[:, -2] > 104).all()
    lists = [columns[0, 0, r // 32, : int(counts[0, 0, r // 32])] for r in row]
    listed = np.array([b // 32 in found for b, found in zip(best, lists, strict=True)])
    seen = listed & (best <= row) if causal else listed
    assert seen.any()
    assert not seen.all()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("causal", [False, True])
def test_gates_that_are_equal_to_their_threshold_decide(causal: bool, seed: int) -> None:
    sample = patterns.gates_at_zero(np.random.default_rng(seed), 2, 3, 32, 16, causal=causal)
    kept = truth.kept(sample.q, sample.k, sample.threshold, sample.block, causal)
    above = truth.kept(sample.q, sample.k, sample.threshold + 1e-9, sample.block, causal)
    assert (kept != above).any((-1, -2)).all()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("causal", [False, True])
def test_scores_far_below_zero_leave_nothing_to_a_maximum_of_zero(causal: bool, seed: int) -> None:
    shape = (1, 2, 45, 32)
    case = patterns.sunken_case("", np.random.default_rng(seed), shape, 16, causal=causal)
    q, k = (a.values for a in case.arguments[:2])
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(shape[-1])
    assert np.isfinite(np.exp(scores.astype(np.float32))).all()
    lost = np.exp(scores.astype(np.float32)).sum(-1) == 0
    assert lost.mean() > 0.5
    right = truth.attention_over_lists(*(getattr(a, "values", a) for a in case.arguments))
    assert np.abs(right[lost]).max(-1).min() > 0.01


@pytest.mark.parametrize("seed", range(10))
def test_files_without_a_fault_are_causal_and_not(seed: int) -> None:
    """Treating every file as causal is wrong about one of the two."""
    sample = [
        (question.arguments[2], question.label)
        for question in silent_exports.questions(np.random.default_rng(seed), _Silent())
    ]
    assert sorted(c for c, label in sample if label == "A file without a fault") == [False, True]


class _Silent(Session):
    """A session whose programs answer with an empty text."""

    def __init__(self) -> None:
        pass

    def once(self, key: str, make: Any) -> Any:
        return self

    def ask(self, *_: object) -> str:
        return ""
