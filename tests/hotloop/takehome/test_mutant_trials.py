"""What a report says of mutants of a task's reference."""

from __future__ import annotations

from typing import Any

import pytest

from hotloop import curriculum
from hotloop.measured_code import measured_code
from hotloop.takehome import mutant_trials, quality, quality_words

MODULE = curriculum.load_module("fused_softmax")
ROW = {
    "task": "fused_softmax.online_pass",
    "wrong": 14,
    "passed": 1,
    "judgings": 140,
    "date": "2030-01-02",
    "code": "0123456789abcdef",
}


def _said(monkeypatch: pytest.MonkeyPatch, row: dict[str, Any]) -> str:
    document = {"device": "Some CPU", "rows": [row]}
    monkeypatch.setattr(mutant_trials, "recorded", lambda _name: document)
    task = MODULE.task("online_pass")
    return " ".join(quality_words.sentences(quality.check_quality(MODULE, task)))


def test_a_mutant_that_passed_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _said(monkeypatch, ROW)
    assert "Of 14 wrong mutants" in said
    assert "1 passed at least once in 140 judgings" in said
    assert "Recorded on Some CPU, 2030-01-02. The code has changed since." in said


def test_todays_code_is_not_called_older(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _said(monkeypatch, {**ROW, "code": measured_code("fused_softmax")})
    assert "2030-01-02. The code has changed since." not in said


def test_a_task_without_mutants_says_nothing_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "mutants" not in _said(monkeypatch, {**ROW, "task": "fused_softmax.cuda_warp"})
