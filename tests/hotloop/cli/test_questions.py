"""The interview questions on the command line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop import extras
from hotloop.cli import app

KEY = "tvm_passes.at_which_level_is_tir"


def _run(*words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["questions", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


def _document(*words: str | Path) -> Any:
    return json.loads(_run(*words, "--json"))


def test_questions_are_listed_and_filtered() -> None:
    everything = _document("list")["questions"]
    assert KEY in {question["key"] for question in everything}
    chosen = _document("list", "--track", "dl_compilers", "--level", "beginner")["questions"]
    assert {(q["track"], q["level"]) for q in chosen} == {("dl_compilers", "beginner")}
    assert {q["module"] for q in _document("list", "--module", "tvm_passes")["questions"]} == {
        "tvm_passes"
    }
    chinese = _document("list", "--language", "zh")["questions"]
    assert all("zh" in question["languages"] for question in chinese)
    assert next(q["title"] for q in chinese if q["key"] == KEY) == "TIR 处在哪个层次"
    assert "at_which_level_is_tir" in _run("list", "--module", "tvm_passes")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_is_shown_whole(language: str) -> None:
    told = _document("show", "at_which_level_is_tir", "--language", language)
    assert told["key"] == KEY
    assert set(told["rubric"]) == set("01234")
    assert told["proofs"][0]["program"] == "names_of_today.py"
    shown = _run("show", KEY, "--language", language)
    assert told["title"] in shown
    assert told["follow_ups"][0][:20] in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("list", "--track", "dl_compiler"), "did you mean dl_compilers"),
        (("list", "--level", "hard"), "There is no level called 'hard'"),
        (("list", "--module", "tvm"), "There is no module called 'tvm'"),
        (("show", "at_which_level"), "did you mean"),
        (("show", "bytes_of_five_operations", "--language", "zh"), "No question fits"),
        (("export", "--out", "/nowhere/at/all.apkg"), "cannot be written"),
    ],
)
def test_a_mistake_gets_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in " ".join(_run(*words, code=2).split())


@pytest.mark.parametrize("form", ["anki", "qti", "gift", "kit"])
def test_a_chosen_set_is_exported(form: str, tmp_path: Path) -> None:
    out = tmp_path / "file"
    chosen = (KEY, "two_loops_swapped")
    told = _document("export", *chosen, "--format", form, "--out", out)
    assert told["questions"] == [KEY, "tvm_passes.two_loops_swapped"]
    assert zipfile.is_zipfile(out) == (form in {"anki", "qti"})
    assert "2 questions" in _run("export", *chosen, "--format", form, "--out", out)


def test_without_the_packages_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "missing", lambda group: ("genanki",))
    said = " ".join(_run("export", "--out", tmp_path / "x", code=2).split())
    assert "genanki" in said
    assert "hotloop[bank]" in said
