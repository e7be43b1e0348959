"""What comparison accepts, and what it must reject."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.compare import Tolerance, compare, token_disagreement
from hotloop.judge.dtypes import BF16, FP16, FP32, DType, to_float64, to_storage

TIGHT = Tolerance(1e-6, 1e-30)
values = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30)


@pytest.mark.slow
@given(values, st.data())
def test_one_nan_never_passes(numbers: list[float], data) -> None:
    want = np.array(numbers)
    got = want.copy()
    got[data.draw(st.integers(0, len(numbers) - 1))] = np.nan
    disagreement = compare(got, want, Tolerance(1.0, 1e300))
    assert disagreement is not None
    assert disagreement.wrong == 1


@given(values)
def test_the_truth_passes(numbers: list[float]) -> None:
    want = np.array(numbers)
    assert compare(want.copy(), want, TIGHT) is None


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=30), st.data())
def test_one_wrong_element_is_found_and_named(numbers: list[float], data) -> None:
    want = np.array(numbers)
    index = data.draw(st.integers(0, len(numbers) - 1))
    got = want.copy()
    got[index] *= 1.001
    disagreement = compare(got, want, TIGHT)
    assert disagreement is not None
    assert disagreement.index == (index,)


def test_infinities_agree_in_place_and_sign() -> None:
    want = np.array([np.inf, -np.inf])
    assert compare(want.copy(), want, TIGHT) is None
    assert compare(-want, want, Tolerance(1e9, 1e9)) is not None
    assert compare(np.array([1e308, -np.inf]), want, Tolerance(1e9, 1e9)) is not None


def test_one_answer_of_eight_may_part_and_no_more() -> None:
    want = np.zeros((8, 4))
    one, two = want.copy(), want.copy()
    one[3, 2] = two[3, 2] = two[5, 1] = 7
    assert token_disagreement(None, one, want) is None
    message = token_disagreement(None, two, want)
    assert "answer 3 parts at token 2, which is 7" in str(message)
    assert token_disagreement(None, one[3:4], want[3:4]) is not None


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match="shapes differ"):
        compare(np.zeros(2), np.zeros(3), TIGHT)


@pytest.mark.parametrize("lower", [FP16, BF16])
def test_computing_a_softmax_in_lower_precision_fails_an_fp32_task(lower) -> None:
    x = np.random.default_rng(0).normal(size=(8, 1000))
    truth = _softmax(x)
    rounded = _softmax(to_float64(to_storage(x, lower), lower))
    tolerance = Tolerance.derived(FP32, terms=1000, amplification=float(np.ptp(x)))
    assert compare(rounded, truth, tolerance) is not None


def test_an_honest_fp32_softmax_passes_its_tolerance() -> None:
    rng = np.random.default_rng(1)
    for scale in (1, 30, 1e4):
        x = (rng.normal(size=(16, 3001)) * scale).astype(np.float32)
        e = np.exp(x - x.max(-1, keepdims=True))
        got = (e / e.sum(-1, keepdims=True)).astype(np.float64)
        tolerance = Tolerance.derived(FP32, terms=3001, amplification=100.0)
        assert compare(got, _softmax(x.astype(np.float64)), tolerance) is None


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("out", [FP32, FP16, BF16])
@pytest.mark.parametrize("terms", [1, 4096])
def test_a_term_that_is_flushed_to_zero_is_right(out: DType, terms: int) -> None:
    tolerance = Tolerance.derived(out, terms=terms)
    # torch's vectorized exp returns 0 below -87.
    want = np.array([np.exp(-87.0), FP32.smallest_normal])
    assert compare(np.zeros(2), want, tolerance) is None


@given(st.floats(1e-30, 1.0))
def test_zero_for_a_number_that_the_arithmetic_can_hold_is_wrong(number: float) -> None:
    tolerance = Tolerance.derived(FP32, terms=4096)
    assert compare(np.zeros(1), np.array([number]), tolerance) is not None
