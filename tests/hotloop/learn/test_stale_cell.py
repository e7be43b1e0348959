"""A cell edited after it ran is detected; a cell that ran and is not saved yet is not an error."""

import json
import os
import time
from pathlib import Path

import pytest

from hotloop.core.user_error import UserError
from hotloop.learn import stale_cell
from hotloop.learn.notebook import CheckInterrupted

TASK = "fused_softmax.online_pass"
OLD = f"### TASK {TASK}\ndef online_softmax(x): return x"
NEW = f"### TASK {TASK}\ndef online_softmax(x): return 2 * x"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_cell, "_ran", {})


def saved(folder: Path, text: str, seconds: float) -> Path:
    """Write a notebook. seconds: its modification time, relative to now."""
    path = folder / "lab.ipynb"
    lines = text.splitlines(keepends=True)
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": lines}]}))
    at = time.time() + seconds
    os.utime(path, (at, at))
    return path


def test_edited_and_saved_after_it_ran(tmp_path: Path) -> None:
    stale_cell.note(OLD)
    said = stale_cell.advice(TASK, saved(tmp_path, NEW, 5))
    assert said.startswith(f"The cell of {TASK} was changed after it last ran")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param(OLD, 5, id="as it ran"),
        pytest.param(NEW, -5, id="run, and not saved yet"),
        pytest.param("x = 1", 5, id="the cell is gone"),
    ],
)
def test_nothing_to_say(tmp_path: Path, text: str, seconds: float) -> None:
    stale_cell.note(OLD)
    assert stale_cell.advice(TASK, saved(tmp_path, text, seconds)) == ""


def test_a_cell_that_never_ran_here_is_unknown(tmp_path: Path) -> None:
    assert stale_cell.advice(TASK, saved(tmp_path, NEW, 5)) == ""


@pytest.mark.parametrize(
    "error", [CheckInterrupted("It was stopped."), UserError("It was stopped.")]
)
def test_a_notebook_shows_one_line(error: CheckInterrupted | UserError) -> None:
    assert error._render_traceback_() == ["It was stopped."]  # pyright: ignore[reportPrivateUsage]
