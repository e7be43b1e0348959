"""`hotloop interview`, played by scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.practice import store

KEY = "dl_compilers.tile_in_cache"
CHOICE = ("--track", "dl_compilers", "--numbers", "--minutes", "8")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _run(*words: str | Path, code: int = 0, typed: str | None = None) -> str:
    done = CliRunner().invoke(app, ["interview", *map(str, words)], input=typed)
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def _document(*words: str | Path, typed: str | None = None) -> Any:
    return json.loads(_run(*words, "--json", typed=typed))


def test_without_a_terminal_the_plan_is_told_and_nothing_is_asked() -> None:
    told = _document(*CHOICE)
    assert [each["key"] for each in told["plan"]] == [KEY]
    assert told["end"] is None
    assert told["due"] == 0
    assert told["new"] > 3
    assert KEY in _run(*CHOICE)
    assert KEY in _run(*CHOICE, "--plan")
    assert not store.path().exists()


def test_a_session_is_played_from_a_file_and_kept(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.write_text("h\nr\n1\n")
    told = _document(*CHOICE, "--answers", answers)
    assert told["end"] == "done"
    (review,) = told["reviews"]
    assert (review["question"], review["mark"], review["hints"]) == (KEY, 1, 1)
    assert store.read().state.reviews[0].question == KEY
    assert _document(*CHOICE)["plan"][0]["key"] != KEY
    later = _document("--track", "dl_compilers", "--numbers", "--minutes", "600", "--ahead")
    last = later["plan"][-1]
    assert (last["key"], last["times"], last["last_mark"]) == (KEY, 1, 1)
    assert last["due"] == later["next_due"]


def test_a_session_is_played_from_standard_input_in_chinese() -> None:
    shown = _run(*CHOICE, "--language", "zh", "--answers", "-", typed="r\n3\n")
    assert "好的回答" in shown
    assert "A good answer" not in shown
    assert store.read().state.reviews[0].language == "zh"


def test_practice_is_carried_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(*CHOICE, "--answers", "-", typed="r\n3\n")
    file = tmp_path / "practice.json"
    assert _document("--export", file)["exported_to"] == str(file)
    assert "is there already" in _run("--export", file, code=2)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert _document("--import", file)["new_reviews"] == 1
    assert _document("--import", file)["new_reviews"] == 0
    assert store.read().state == store.parse(file)


def test_a_file_of_another_form_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{\n"format": 1,\n"cards": []\n}')
    said = " ".join(_run("--import", file, code=2).split())
    assert "other.json:3: unknown key 'cards'" in said.replace("\n", "")
    assert not store.path().exists()


def test_a_damaged_file_is_told_of_and_practice_goes_on() -> None:
    store.path().parent.mkdir(parents=True)
    store.path().write_text("{")
    done = CliRunner().invoke(app, ["interview", *CHOICE, "--answers", "-"], input="r\n2\n")
    assert done.exit_code == 0
    assert "was set aside as practice.damaged-" in " ".join(done.stderr.split())
    assert len(store.read().state.reviews) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--track", "dl_compiler"), "did you mean dl_compilers"),
        (("--level", "hard"), "There is no level called 'hard'"),
        (("--answers", "nowhere"), "nowhere cannot be read"),
    ],
)
def test_what_cannot_be_served_is_said(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in " ".join(_run(*words, code=2).split())


def test_eighty_columns_are_enough() -> None:
    shown = _run(*CHOICE, "--answers", "-", typed="h\nr\n3\n")
    assert max(map(len, shown.splitlines())) <= 80
