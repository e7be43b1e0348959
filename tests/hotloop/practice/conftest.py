"""A learner's folder of their own, and questions of the bank's form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hotloop.bank.catalog import Entry
from hotloop.bank.question import Question
from hotloop.practice.state import Review

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

QUESTION: dict[str, Any] = {
    "id": "bytes_of_a_batch",
    "level": "beginner",
    "minutes": 5,
    "links": ["first.task"],
    "prompt": "How many bytes?",
    "probes": ["counts", "units"],
    "strategy": ["rows first", "then width"],
    "answer": "Rows times width times `4`.",
    "weak_answers": [{"says": "a few", "reveals": "does not count"}],
    "follow_ups": ["in bfloat16?", "with padding?"],
    "rubric": {mark: f"anchor {mark}" for mark in range(5)},
    "opinion": ["Rows times width times `4`."],
}

NUMERIC: dict[str, Any] = {
    "ask": "{rows} rows of {width} numbers in float32: how many bytes?",
    "parameters": {"rows": [8, 16, 32, 64], "width": [1024, 2048, 4096]},
    "formula": "rows * width * 4",
    "unit": "bytes",
    "explain": "Rows times width times four bytes.",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the learner's records."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "hotloop"


@pytest.fixture
def entry() -> Callable[..., Entry]:
    """Makes a question of module `first` in track `a`, with changes."""

    def made(module: str | None = "first", **changes: object) -> Entry:
        question = Question.model_validate(QUESTION | changes)
        key = f"{module or 'a'}.{question.id}"
        return Entry(key, "a", module, question, None, Path(), ())

    return made


@pytest.fixture
def numbers() -> dict[str, Any]:
    """The numeric part of a question."""
    return dict(NUMERIC)


@pytest.fixture
def review() -> Callable[..., Review]:
    """Makes a review, `days` after the start."""

    def made(mark: int = 3, days: float = 0, question: str = "first.bytes_of_a_batch") -> Review:
        at = START + timedelta(days=days)
        return Review(question=question, at=at, mark=mark, seconds=60, language="en")

    return made
