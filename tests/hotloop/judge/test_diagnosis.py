"""A diagnosis is right with its cause, its words and its figure; each recording is a share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge import answer_key
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.diagnosis import (
    Diagnosis,
    DiagnosisFigure,
    DiagnosisLine,
    DiagnosisWord,
)
from hotloop.judge.constants import constant, constants
from hotloop.judge.session import Session

TRUTH = {
    "a": {"cause": "sync", "line": 3, "name": "u0", "evidence": {"wait": 0.5, "idle": 0.0}},
    "b": {"cause": "loader", "line": 4, "name": None, "evidence": {"load": 40}},
}
RIGHT: dict[str, dict[str, Any]] = {
    "a": {"cause": "sync", "line": 3, "name": "u0", "evidence": "wait", "value": 0.5},
    "b": {"cause": "loader", "line": 4, "name": None, "evidence": "load", "value": 40},
}


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    key = tmp_path_factory.mktemp("key") / "key.json"
    answer_key.write(key, TRUTH)
    return Diagnosis(
        key,
        "run",
        (
            DiagnosisWord("cause", "not {}, look again", ("sync", "loader", "layout")),
            DiagnosisLine("line", "not line {}", first=lambda: constant("FIRST", 1, range(2, 100))),
            DiagnosisWord("name", "not the name {}"),
            DiagnosisFigure(
                label="the share of {}",
                absolute=0.005,
                factor=lambda: constant("HOURS", 1, range(1, 100)),
            ),
        ),
        entry="diagnosis",
        names=("a", "b"),
        files=lambda: tuple(constant("FILES", "ab", ("ab", "ba"))),
    )


def changed(**change: object) -> Mapping[str, Any]:
    return {**RIGHT, "b": {**RIGHT["b"], **change}}


def test_right_words_and_figures_are_accepted(diagnosis: Diagnosis) -> None:
    assert diagnosis.mismatch(RIGHT) is None
    assert diagnosis.mismatch(changed(value=41)) is None, "within 3 %"
    other = {**RIGHT["a"], "evidence": "idle", "value": 0.004}
    assert diagnosis.mismatch({**RIGHT, "a": other}) is None, "a figure may be 0"
    assert diagnosis.mismatch({**RIGHT, "more": 1}) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"cause": "rays"},
            "“cause” is 'rays', expected one of sync, loader, layout",
        ),
        ({"cause": ["loader"]}, "“cause” is ['loader'], expected one of sync, loader, layout"),
        ({"cause": "layout"}, "not 'layout', look again"),
        ({"cause": "sync"}, "not 'sync', look again"),
        ({"line": 3}, "not line 3"),
        ({"line": 4.0}, "not line 4.0"),
        ({"line": "4"}, "not line '4'"),
        ({"line": True}, "not line True"),
        ({"name": "u0"}, "not the name 'u0'"),
        ({"name": ""}, "not the name ''"),
        ({"evidence": "wait"}, "the cause is right, but 'wait' does not show it"),
        ({"evidence": 7}, "the cause is right, but 7 does not show it"),
        ({"evidence": {"load": 40}}, "the cause is right, but {'load': 40} does not show it"),
        ({"value": 42}, "the share of load is 42, expected 40"),
        ({"value": None}, "the share of load is None, not a number"),
        ({"value": float("nan")}, "the share of load is nan, expected 40"),
    ],
)
def test_the_first_wrong_part_is_named(
    diagnosis: Diagnosis, change: Mapping[str, object], sentence: str
) -> None:
    assert diagnosis.mismatch(changed(**change)) == f"run b: {sentence}"


@pytest.mark.parametrize("field", ["cause", "line", "name", "evidence", "value"])
def test_a_missing_field_is_none_of_them(diagnosis: Diagnosis, field: str) -> None:
    expected = "run b: expected a dict with “cause”, “line”, “name”, “evidence” and “value”"
    reported = {key: value for key, value in RIGHT["b"].items() if key != field}
    assert diagnosis.mismatch({**RIGHT, "b": reported}) == expected
    assert diagnosis.mismatch({**RIGHT, "b": [field]}) == expected
    assert diagnosis.mismatch({"a": RIGHT["a"]}) == expected


@pytest.mark.parametrize("name", ["a", "b"])
def test_the_same_diagnosis_of_all_is_none(diagnosis: Diagnosis, name: str) -> None:
    answer = dict.fromkeys("ab", RIGHT[name])
    assert all(question.mismatch(answer) is not None for question in diagnosis.questions())


@pytest.mark.parametrize("answer", [None, 3, "a", [], [RIGHT]])
def test_what_is_no_dict_is_said_so(diagnosis: Diagnosis, answer: object) -> None:
    assert str(diagnosis.mismatch(answer)).endswith("not a dict")


def test_a_variant_mixes_recordings_moves_lines_and_scales_figures(diagnosis: Diagnosis) -> None:
    own = {
        name: {**RIGHT[file], "line": RIGHT[file]["line"] + 9, "value": 5 * RIGHT[file]["value"]}
        for name, file in (("a", "b"), ("b", "a"))
    }
    with constants({"FILES": "ba", "FIRST": 10, "HOURS": 5}):
        assert diagnosis.mismatch(own) is None
        assert diagnosis.mismatch(RIGHT) == "run a: not 'sync', look again"
    assert diagnosis.mismatch(own) is not None


@pytest.mark.parametrize(
    ("answer", "verdict", "earned"),
    [
        (RIGHT, Verdict.PASSED, 1.0),
        (changed(value=7), Verdict.PARTIAL, 0.5),
        ({}, Verdict.WRONG_ANSWER, 0.0),
    ],
)
def test_each_recording_earns_its_share(
    diagnosis: Diagnosis,
    answer: object,
    verdict: Verdict,
    earned: float,
    tmp_path: Path,
    session_over: Callable[..., Session],
) -> None:
    (tmp_path / "candidate.py").write_text(
        f"def read(path):\n    return 1\n\ndef diagnosis():\n    return {answer!r}\n"
    )
    task = Candidate("read", "candidate.py", "json")
    session = session_over(tmp_path, isolation="none").about(task)
    record = judge_check("diagnosis", diagnosis, session)
    assert (record.verdict, record.earned) == (verdict, earned)
