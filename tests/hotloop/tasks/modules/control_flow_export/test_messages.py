"""Hidden messages of each branch are found, whatever weights the encoder has."""

import pytest

from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.launcher import Launcher
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export.encoder_paths import FULL_UP_TO, EncoderPath, case_of

from ....sessions import new_session

UNSURE = 12 * 7919 + 1
"""Seed of weights that are sure of 3 in 16,000 long messages of random words."""

SURE = 141285726
"""Seed of weights that are sure of each single word after one layer."""


def _session() -> Session:
    return new_session(launcher=Launcher("bubblewrap"), budget_s=60)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("late", [False, True])
def test_the_unsure_are_sure_of_something(late: bool) -> None:
    session = _session()
    try:
        case = case_of(UNSURE, EncoderPath(0, 8, 128, late), Seeds().generator(), session)
    finally:
        session.close()
    tokens = case.arguments[0]
    assert isinstance(tokens, InputTensor)
    assert len({tuple(row) for row in tokens.values.tolist()}) == 8


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("kind", [0, 1, 2])
def test_where_no_message_of_a_length_goes_on_another_length_does(kind: int) -> None:
    session = _session()
    try:
        case = case_of(SURE, EncoderPath(kind, 1, 1, late=True), Seeds().generator(), session)
    finally:
        session.close()
    tokens = case.arguments[0]
    assert isinstance(tokens, InputTensor)
    assert 1 < tokens.values.shape[1] <= FULL_UP_TO
    assert "all layers" in case.label
