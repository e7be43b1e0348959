"""`hotloop placement`, and what `hotloop progress` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.learning.graph import way
from hotloop.learning.items import items, letter
from hotloop.practice import store

TRACK = "framework_internals"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _run(*words: str | Path, code: int = 0, typed: str | None = None) -> str:
    done = CliRunner().invoke(app, list(map(str, words)), input=typed)
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def _answers(*known: str) -> str:
    """What somebody types who knows these tiers, and nothing else."""
    found = items(TRACK, way(TRACK), "7")
    lines: list[str] = []
    for tier in ("intermediate", "advanced" if "intermediate" in known else "beginner"):
        for item in found[tier][:3] if tier in known else found[tier][:2]:
            right = f"{item.instance.answer}" if item.instance else letter(item.right)
            lines.append(right if tier in known else "?")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("known", "start"),
    [
        ((), "profile_training_loop"),
        (("beginner",), "triton_ensemble"),
        (("beginner", "intermediate"), "fused_softmax"),
        (("beginner", "intermediate", "advanced"), None),
    ],
)
def test_the_test_places_by_what_is_known(known: tuple[str, ...], start: str | None) -> None:
    words = ("placement", TRACK, "--seed", "7", "--answers", "-", "--json")
    told: Any = json.loads(_run(*words, typed=_answers(*known)))
    assert told["start"] == start
    assert told["known"] == list(known)
    assert told["seed"] == "7"
    kept = store.read().state.placements[0]
    assert (kept.start, len(kept.answers)) == (start, len(told["answers"]))
    after: Any = json.loads(_run("progress", "--json"))
    (track,) = [each for each in after["tracks"] if each["id"] == TRACK]
    assert track["start"] == start
    placed = [each["id"] for each in track["modules"] if each["level"] == "placed"]
    assert placed == told["skipped"]


def test_the_rule_and_the_reasons_are_told() -> None:
    words = ("placement", TRACK, "--seed", "7", "--answers", "-")
    shown = " ".join(_run(*words, typed=_answers("beginner")).split())
    assert "intermediate: 0 of 2 right (3 needed): not known yet." in shown
    assert "beginner: 3 of 3 right (3 needed): known." in shown
    assert "hotloop start triton_ensemble" in shown
    assert "A tier is known with 3 of 4 right" in shown
    assert "What was not right" in shown


def test_an_answer_that_is_none_is_asked_for_again() -> None:
    typed = "x\n\n" + _answers()
    told = json.loads(
        _run("placement", TRACK, "--seed", "7", "--answers", "-", "--json", typed=typed)
    )
    assert len(told["answers"]) == 4


def test_without_a_terminal_the_way_is_told() -> None:
    told: Any = json.loads(_run("placement", TRACK, "--json"))
    assert [each["module"] for each in told["way"]] == [each.id for each in way(TRACK)]
    assert told["most_questions"] == 8
    assert "start" not in told
    assert "It needs a terminal" in _run("placement", TRACK)


def test_who_leaves_early_is_not_placed() -> None:
    said = _run("placement", TRACK, "--seed", "7", "--answers", "-", typed="a\n", code=2)
    assert "nothing was kept" in said
    assert not store.path().exists()


@pytest.mark.parametrize(
    ("track", "sentence"),
    [("dl_compiler", "did you mean dl_compilers"), ("nonsense", "There is no track called")],
)
def test_a_track_that_does_not_exist_is_said(track: str, sentence: str) -> None:
    assert sentence in " ".join(_run("placement", track, code=2).split())
