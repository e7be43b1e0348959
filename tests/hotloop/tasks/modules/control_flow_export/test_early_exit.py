from contextlib import closing

import numpy as np
import pytest

from hotloop.judge.calls import CallBuffers
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.tasks.modules.control_flow_export import early_exit
from hotloop.tasks.modules.control_flow_export.encoder_paths import QUEUES

RNG = np.random.default_rng(0)
WANT = RNG.standard_normal((2 * early_exit.UNSURE, QUEUES))


def _found(got: np.ndarray) -> str | None:
    case = next(iter(early_exit.cases(np.random.default_rng(1))))
    return early_exit.disagreement(case, got, WANT)


def test_rounding_and_a_message_at_the_limit_are_no_mistake() -> None:
    got = WANT * (1 + 1e-6)
    got[5] = 0.0
    assert _found(got) is None


def test_more_messages_are() -> None:
    got = WANT.copy()
    got[3:7] += 0.5
    assert "4 of 256 messages have other scores" in str(_found(got))


def test_nan_is_a_mistake() -> None:
    assert _found(np.full_like(WANT, np.nan)) is not None


def test_hidden_messages_have_all_kinds_and_both_lengths() -> None:
    for case in list(early_exit.cases(np.random.default_rng(2)))[3:]:
        _, tokens, kinds = case.arguments
        assert isinstance(tokens, InputTensor)
        assert isinstance(kinds, InputTensor)
        lengths = (tokens.values != 0).sum(1)
        assert (lengths <= early_exit.FULL_UP_TO).any()
        assert (lengths > early_exit.FULL_UP_TO).any()
        assert set(kinds.values) == {0, 1, 2}


def test_timed_messages_are_padded_behind_and_as_long_as_their_operations_suppose() -> None:
    workload = early_exit.timed()
    with closing(CallBuffers([workload.spec(RNG, 0)], seal_inputs=True)) as buffers:
        workload.fill(RNG, buffers.calls[0], False)
        tokens = buffers.calls[0].input(1)
    lengths = (tokens != 0).sum(1)
    assert ((tokens != 0) == (np.arange(early_exit.LONGEST) < lengths[:, None])).all()
    assert lengths.mean() > 60


@pytest.mark.parametrize("case", list(early_exit.cases(RNG)), ids=lambda c: c.label)
def test_cases_are_of_the_timed_calls_form(case: Case) -> None:
    given = [a.spec.shape[1:] if isinstance(a, InputTensor) else a for a in case.arguments]
    assert given == [early_exit.WEIGHTS, (early_exit.LONGEST,), ()]
