"""The recorded runs: each shows its own sickness, and none of the others."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import Any

import numpy as np
import pytest

from hotloop import paths
from hotloop.checks.xla_vs_eager import recordings

FOLDER = paths.solutions() / "xla_vs_eager"


def data(letter: str) -> bytes:
    return (FOLDER / f"run_{letter}.json.gz").read_bytes()


def figures(letter: str) -> dict[str, Any]:
    return recordings.figures(json.loads(gzip.decompress(data(letter))))


@pytest.mark.parametrize("letter", recordings.NAMES)
def test_what_the_judge_knows_is_what_is_recorded(letter: str) -> None:
    known = recordings.truth()[letter]
    assert known["sha256"] == hashlib.sha256(data(letter)).hexdigest()
    found = figures(letter)
    for name, value in known["evidence"].items():
        assert found[name] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("letter", ["healthy", *recordings.NAMES])
def test_each_run_has_one_sickness(letter: str) -> None:
    found = figures(letter)
    signs = {
        "recompiles": found["programs"] >= 40 and found["programs_a_step"] == 1,
        "op_by_op": found["programs_a_step"] > 50,
        "callback": found["callbacks"] > 0,
        "baked": found["constant_bytes"] > 100_000,
    }
    cause = None if letter == "healthy" else recordings.truth()[letter]["cause"]
    assert [name for name, shows in signs.items() if shows] == ([cause] if cause else [])


def right() -> dict[str, dict[str, Any]]:
    told = {}
    for letter, known in recordings.truth().items():
        evidence, value = next(iter(known["evidence"].items()))
        told[letter] = {"cause": known["cause"], "evidence": evidence, "value": value}
    return told


def test_the_diagnosis() -> None:
    assert recordings.diagnosis_complaint(right()) is None
    for change, said in (
        ({"cause": "layout"}, "the cause is not layout"),
        ({"cause": "magic"}, "one of recompiles"),
        ({"evidence": "step_ms"}, "does not show it"),
        ({"value": 3.0e9}, "should be"),
        ({"value": None}, "not a number"),
    ):
        told = right()
        told["b"] = {**told["b"], **change}
        assert said in (recordings.diagnosis_complaint(told) or "")
    assert "not a dict" in (recordings.diagnosis_complaint([]) or "")


def test_made_runs_have_a_storm_and_a_quiet_one() -> None:
    storm, quiet, *_ = recordings.figure_questions(np.random.default_rng(0))
    assert storm.label != quiet.label
    made = recordings.made(np.random.default_rng(1), storm=True)
    assert recordings.figures(made)["step_ms"] is None
    assert recordings.figures(recordings.made(np.random.default_rng(1), storm=False))["step_ms"] > 0
