"""The recorded judgings of `tests/benchmarks/false_grades.py`, graded again by these statistics."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.judge.levels import Level, LevelState, state_of
from hotloop.judge.statistics import EARLY_LOOKS, LOOKS, estimate, spent

RECORDED = Path(__file__).parents[2] / "benchmarks" / "results" / "false_grades.json"
LEVEL = Level(1.0, 1.0)


def _cells() -> list[Any]:
    if not RECORDED.is_file():
        return []
    return json.loads(RECORDED.read_text())["results"]


def _graded(judging: dict[str, Any]) -> LevelState:
    """Grade as the trial does: look at fixed sample sizes, stop when the level is decided."""
    rng = np.random.default_rng(0)
    where = LevelState.OPEN
    looks = (*EARLY_LOOKS, *LOOKS)
    for look, error in zip(looks, spent(looks), strict=True):
        if len(judging["baseline"]) < look:
            break
        blocks = judging["baseline"][:look], judging["candidate"][:look]
        figure = estimate(*blocks, rng, error=error)
        figure = replace(figure, early=look if look in EARLY_LOOKS else 0)
        where = state_of(LEVEL, figure)
        if where is not LevelState.OPEN:
            break
    return where


@pytest.mark.slow
@pytest.mark.skipif(not RECORDED.is_file(), reason="no judgings were recorded on any machine yet")
@pytest.mark.parametrize(
    "cell",
    _cells(),
    ids=lambda c: (
        f"{c['true_ratio']}x-{c['threads']}threads-{'busy' if c['busy_neighbor'] else 'idle'}"
    ),
)
def test_no_recorded_judging_is_graded_wrongly(cell: dict[str, Any]) -> None:
    wrong = LevelState.MISSED if cell["true_ratio"] > 1 else LevelState.REACHED
    assert cell["judgings"]
    assert not [j for j in cell["judgings"] if _graded(j) is wrong]


@pytest.mark.slow
@pytest.mark.skipif(not RECORDED.is_file(), reason="no judgings were recorded on any machine yet")
def test_the_replay_would_notice_a_wrong_level() -> None:
    """A level beyond the true ratio must turn the recorded passes into fails."""
    rng = np.random.default_rng(0)
    cell = next(c for c in _cells() if c["true_ratio"] > 1 and not c["busy_neighbor"])
    judging = next(j for j in cell["judgings"] if len(j["baseline"]) >= EARLY_LOOKS[-1])
    figure = estimate(judging["baseline"], judging["candidate"], rng)
    assert state_of(Level(1.4, 1.0), figure) is LevelState.MISSED
