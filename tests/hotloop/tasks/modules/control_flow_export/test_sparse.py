import numpy as np
import pytest
import torch

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import compare
from hotloop.judge.seeds import Seeds
from hotloop.tasks.modules.control_flow_export import sparse

CASES = list(sparse.cases(np.random.default_rng(3)))


def _x(case: Case) -> np.ndarray:
    (x,) = case.arguments
    assert isinstance(x, InputTensor)
    return x.rounded()


def _in_steps(x: np.ndarray, most: int) -> tuple[np.ndarray, int]:
    """Return the given loop's result in float32, and its number of steps."""
    x = (x - x.max(-1, keepdims=True)).astype(np.float32)
    kept = x > -1
    steps = 0
    while steps < most:
        steps += 1
        before = kept.sum(-1, keepdims=True)
        tau = (np.where(kept, x, 0).sum(-1, keepdims=True) - 1) / before
        kept = x > tau
        if not (kept.sum(-1, keepdims=True) < before).any():
            break
    return np.maximum(x - tau, 0).astype(np.float64), steps


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.label)
def test_the_truth_adds_up_to_one_and_is_the_nearest_such_point(case: Case) -> None:
    """Of points p ≥ 0 with sum 1, x's projection is that with x − p equal where p > 0, and smaller
    elsewhere.
    """
    x, p = _x(case), case.truth(sparse.sparsemax)
    np.testing.assert_allclose(p.sum(-1), 1.0, rtol=1e-12)
    gap = x - p
    tau = np.where(p > 0, gap, -np.inf).max(-1, keepdims=True)
    np.testing.assert_allclose(np.where(p > 0, gap, tau), np.broadcast_to(tau, p.shape), atol=1e-9)
    assert (x <= tau + 1e-9)[p == 0].all()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.label)
def test_what_is_right_on_a_gpu_is_right_here(case: Case) -> None:
    got = sparse.sparsemax_on_device(torch.from_numpy(_x(case)))
    np.testing.assert_allclose(got.numpy(), case.truth(sparse.sparsemax), atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.label)
def test_float32_is_right(case: Case) -> None:
    got, _ = _in_steps(_x(case), 1000)
    assert compare(got, case.truth(sparse.sparsemax), sparse.tolerance(case)) is None


def test_float16_is_wrong() -> None:
    case = next(c for c in CASES if c.label == "a power of two of columns")
    want = case.truth(sparse.sparsemax)
    rounded = sparse.sparsemax(_x(case).astype(np.float16).astype(np.float64))
    assert compare(rounded, want, sparse.tolerance(case)) is not None


def test_some_rows_need_many_steps_and_fewer_are_wrong() -> None:
    case = next(c for c in CASES if "one number a step" in c.label)
    want, allowed = case.truth(sparse.sparsemax), sparse.tolerance(case)
    _, steps = _in_steps(_x(case), 1000)
    assert steps == 7
    short, _ = _in_steps(_x(case), steps - 2)
    assert compare(short, want, allowed) is not None


def test_timed_rows_take_several_steps_and_their_tolerance_tells_when_two_are_missing() -> None:
    x = sparse.SCALE * np.random.default_rng(2).standard_normal((64, sparse.TIMED[1]))
    want = sparse.sparsemax(x.astype(np.float32).astype(np.float64))
    allowed = sparse._tolerance(sparse.TIMED[1], sparse.LARGEST)
    right, steps = _in_steps(x.astype(np.float32), 1000)
    assert steps >= 6
    assert compare(right, want, allowed) is None
    short, _ = _in_steps(x.astype(np.float32), steps - 2)
    assert compare(short, want, allowed) is not None


def test_an_eighth_of_the_timed_calls_has_a_secret_width() -> None:
    spec = sparse.on_gpu().spec
    seeds = Seeds()
    odd = [s for s in (spec(seeds.shapes(), i).out.shape for i in range(32)) if s != sparse.TIMED]
    assert len(odd) == 4
    assert len(set(odd)) == 1
