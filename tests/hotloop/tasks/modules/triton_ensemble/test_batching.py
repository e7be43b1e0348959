from contextlib import closing

import numpy as np
import pytest

from hotloop.judge.calls import CallBuffers
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.tasks.modules.triton_ensemble import batching

RNG = np.random.default_rng(0)
WANT = RNG.dirichlet(np.ones(batching.TOPICS), 20)


def _found(got: np.ndarray) -> str | None:
    case = next(iter(batching.cases(np.random.default_rng(1))))
    return batching.disagreement(case, got, WANT)


def test_float32_is_no_mistake_and_float16_is_one() -> None:
    assert _found(WANT.astype(np.float32).astype(np.float64)) is None
    assert _found(WANT.astype(np.float16).astype(np.float64)) is not None


def test_answers_in_another_order_are_a_mistake() -> None:
    assert "have other probabilities than alone" in str(_found(WANT[::-1]))


def test_nan_is_a_mistake() -> None:
    got = WANT.copy()
    got[4, 2] = np.nan
    assert "1 of 20 requests" in str(_found(got))


def test_timed_requests_are_padded_behind_and_as_long_as_their_operations_suppose() -> None:
    workload = batching.timed()
    with closing(CallBuffers([workload.spec(RNG, 0)], seal_inputs=True)) as buffers:
        workload.fill(RNG, buffers.calls[0], False)
        tokens = buffers.calls[0].input(1)
    lengths = (tokens != 0).sum(1)
    assert ((tokens != 0) == (np.arange(batching.LONGEST) < lengths[:, None])).all()
    assert lengths.mean() > 30


@pytest.mark.parametrize("case", list(batching.cases(RNG)), ids=lambda c: c.label)
def test_cases_are_of_the_timed_calls_form(case: Case) -> None:
    given = [a.spec.shape[1:] if isinstance(a, InputTensor) else a for a in case.arguments]
    assert given == [batching.WEIGHTS, (batching.LONGEST,)]
