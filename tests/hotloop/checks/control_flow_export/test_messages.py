"""Hidden messages of each way are found, whichever weights the encoder has."""

from __future__ import annotations

import pytest

from hotloop.checks.control_flow_export.ways import Way, case_of
from hotloop.judge.bench import Bench
from hotloop.judge.launcher import Launcher
from hotloop.judge.rungs.correct import Tensor
from hotloop.judge.seeds import Seeds

UNSURE = 12 * 7919 + 1
"""Weights that were sure of three in sixteen thousand long messages, drawn word by word."""


@pytest.mark.sandbox
@pytest.mark.parametrize("late", [False, True])
def test_the_unsure_are_sure_of_something(late: bool) -> None:
    bench = Bench(
        files=None,
        launcher=Launcher("bubblewrap"),
        connect=lambda: None,
        budget_s=60,
        device="cpu",
    )
    try:
        case = case_of(UNSURE, Way(0, 8, 128, late), Seeds().generator(), bench)
    finally:
        bench.close()
    tokens = case.arguments[0]
    assert isinstance(tokens, Tensor)
    assert len({tuple(row) for row in tokens.values.tolist()}) == 8
