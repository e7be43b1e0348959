"""The judge's mAP is the one that learners get, and both give the same figures."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.yolo_on_mobile import precision, recorded

FOLDER = paths.exercises() / "yolo_on_mobile"
KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "yolo_on_mobile/recordings/runs.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def metrics(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(FOLDER / "metrics.py")


@pytest.mark.slow
def test_both_count_alike(metrics: ModuleType) -> None:
    for question in recorded.questions(np.random.default_rng(4)):
        (given,) = question.arguments
        assert isinstance(given, GivenFile)
        pictures: Any = json.loads(given.data)["pictures"]
        found = [np.array(p["found"]).reshape(-1, 6) for p in pictures]
        true = [np.array(p["true"]).reshape(-1, 5) for p in pictures]
        want = metrics.mean_average_precision(found, true, recorded.CLASSES)
        assert precision.mean_of(found, true, recorded.CLASSES) == pytest.approx(want)


def test_perfect_boxes_have_one_and_none_have_zero() -> None:
    true = [np.array([[0, 0, 10, 10, 0], [20, 20, 30, 30, 1]], float)]
    found = [np.array([[0, 0, 10, 10, 0.9, 0], [20, 20, 30, 30, 0.8, 1]])]
    assert precision.mean_of(found, true, 2) == 1.0
    assert precision.mean_of([np.zeros((0, 6))], true, 2) == 0.0


def test_an_object_is_found_once() -> None:
    true = [np.array([[0, 0, 10, 10, 0], [50, 50, 60, 60, 0]], float)]
    twice = np.array([[0, 0, 10, 10, 0.9, 0], [0, 0, 10, 10, 0.8, 0], [50, 50, 60, 60, 0.7, 0]])
    once = np.delete(twice, 1, 0)
    assert precision.mean_of([once], true, 1) == 1.0
    assert precision.mean_of([twice], true, 1) < 1.0


def test_a_table_without_numbers_has_no_boxes() -> None:
    assert len(precision.nms(np.full((5, 8), np.nan))) == 0


def test_scores_that_change_are_seen() -> None:
    table = np.array([[20, 20, 10, 10, 0.9, 1.0, 0.0], [60, 60, 10, 10, 0.5, 0.0, 1.0]])
    other = table.copy()
    other[0, 4] = 0.7
    assert precision.score_change(table[None], table[None]) == 0
    assert precision.score_change(table[None], other[None]) == pytest.approx(0.1)
    assert precision.score_change(table[None], 0 * table[None]) == pytest.approx(0.7)


@pytest.mark.slow
def test_recordings_are_what_the_truth_was_computed_from() -> None:
    for name in recorded.DIAGNOSIS.names:
        recording = json.loads((FOLDER / f"run_{name}.json").read_text(encoding="utf-8"))
        figures = recorded.figures(recording)
        for key, value in KNOWN[name]["evidence"].items():
            assert figures[key] == pytest.approx(value)


def test_each_cause_shows_against_the_healthy_run() -> None:
    recording = json.loads((FOLDER / "run_healthy.json").read_text(encoding="utf-8"))
    healthy = recorded.figures(recording)
    for name in recorded.DIAGNOSIS.names:
        known = KNOWN[name]
        for key, value in known["evidence"].items():
            if known["cause"] == "colors":
                # Classes are swapped, boxes are not: figures that ignore classes stay the same.
                assert value == pytest.approx(healthy[key], abs=0.15)
            else:
                assert not 0.75 < value / healthy[key] < 1.25


@pytest.mark.slow
def test_a_diagnosis_needs_its_evidence() -> None:
    right = {
        name: {"cause": known["cause"], "evidence": key, "value": value}
        for name, known in KNOWN.items()
        for key, value in known["evidence"].items()
    }
    assert recorded.DIAGNOSIS.mismatch(right) is None
    for change in ({"cause": "range"}, {"cause": "heat"}, {"evidence": "map"}, {"value": 1e6}):
        assert recorded.DIAGNOSIS.mismatch(right | {"a": {**right["a"], **change}}) is not None
    assert recorded.DIAGNOSIS.mismatch({}) is not None
    assert recorded.DIAGNOSIS.mismatch(None) is not None
