"""`hotloop questions`."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core import extras

KEY = "tvm_passes.at_which_level_is_tir"


def _run(*words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["questions", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


def _document(*words: str | Path) -> Any:
    return json.loads(_run(*words, "--json"))


def test_questions_are_listed_and_filtered() -> None:
    everything = _document()["questions"]
    assert KEY in {question["key"] for question in everything}
    chosen = _document("--track", "dl_compilers", "--level", "beginner")["questions"]
    assert {(q["track"], q["level"]) for q in chosen} == {("dl_compilers", "beginner")}
    assert {q["module"] for q in _document("--module", "tvm_passes")["questions"]} == {"tvm_passes"}
    assert {q["kind"] for q in _document("--kind", "fault")["questions"]} == {"fault"}
    chinese = _document("--language", "zh")["questions"]
    assert all("zh" in question["languages"] for question in chinese)
    assert (
        next(q["title"] for q in chinese if q["key"] == KEY)
        == "TVM 的 TIR 是什么？处在哪个抽象层次？"
    )
    assert "at_which_level_is_tir" in _run("--module", "tvm_passes")


def test_code_in_a_prompt_keeps_its_lines() -> None:
    shown = _run("bug_in_a_page_offset")
    assert "      page = tl.load(table_ptr + i)  # int32\n" in re.sub(" +\n", "\n", shown)
    assert "```" not in shown


def test_several_are_shown_in_their_order() -> None:
    keys = ("two_loops_swapped", "at_which_level_is_tir")
    found = [question["key"] for question in _document(*keys)["questions"]]
    assert found == [f"tvm_passes.{key}" for key in keys]


@pytest.mark.slow
def test_a_long_list_fits_a_screen_and_says_how_to_see_more() -> None:
    shown = _run().splitlines()
    assert len(shown) <= 24
    assert shown[-1].endswith("more: name a --role, --round or --level, or --all lists them.")
    assert len(_run("--all").splitlines()) > len(_document()["questions"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_is_shown_whole(language: str) -> None:
    (told,) = _document("at_which_level_is_tir", "--language", language)["questions"]
    assert told["key"] == KEY
    assert set(told["rubric"]) == set("01234")
    assert told["proofs"][0]["program"] == "names_of_today.py"
    shown = _run(KEY, "--language", language)
    assert told["title"] in shown
    assert told["follow_ups"][0][:20] in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--track", "dl_compiler"), "did you mean dl_compilers"),
        (("--level", "hard"), "There is no level called 'hard'"),
        (("--module", "tvm"), "There is no module called 'tvm'"),
        (("at_which_level",), "did you mean"),
        (("bytes_of_five_operations", "--language", "zh"), "No question fits"),
        (
            ("--export", "anki", "--out", "/nowhere/at/all.apkg"),
            "/nowhere/at/all.apkg: No such file",
        ),
    ],
)
def test_a_mistake_gets_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in " ".join(_run(*words, code=2).split())


@pytest.mark.parametrize("form", ["anki", "qti", "gift", "kit"])
def test_a_chosen_set_is_exported(form: str, tmp_path: Path) -> None:
    out = tmp_path / "file"
    chosen = (KEY, "two_loops_swapped")
    told = _document(*chosen, "--export", form, "--out", out)
    assert told["questions"] == [KEY, "tvm_passes.two_loops_swapped"]
    assert zipfile.is_zipfile(out) == (form in {"anki", "qti"})
    assert "2 questions" in _run(*chosen, "--export", form, "--out", out)


def test_without_the_packages_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "missing", lambda group: ("genanki",))
    said = " ".join(_run("--export", "anki", "--out", tmp_path / "x", code=2).split())
    assert "genanki" in said
    assert "hotloop[bank]" in said


def test_a_round_of_an_hour(tmp_path: Path) -> None:
    words = ("--role", "inference", "--round", "technical", "--minutes", "60")
    listed = _document(*words)
    assert next(one["begins"] for one in listed["clock"]) == 5
    assert listed["clock"][-1]["ends"] <= 55
    assert "the candidate's own questions" in _run(*words)
    path = tmp_path / "kit.html"
    written = _document(*words, "--export", "kit", "--out", path)
    assert written["questions"] == [question["key"] for question in listed["questions"]]
    sheet = Path(written["candidate"])
    assert sheet == tmp_path / "kit.candidate.md"
    assert sheet.read_text().count("\n## ") + 1 == len(written["questions"])
    spare = _run("bug_in_a_page_offset", "two_loops_swapped", "--minutes", "15", "--export", "kit",
                 "--out", path, code=2)  # fmt: skip
    assert "short enough" in spare


def test_a_seed_draws_other_numbers_in_a_kit_and_its_sheet(tmp_path: Path) -> None:
    texts: set[str] = set()
    for seed in ("a", "b", "c", "d"):
        out = tmp_path / f"{seed}.html"
        _run(
            "what_to_recompute", "--minutes", "30", "--seed", seed, "--export", "kit", "--out", out
        )
        texts.add((tmp_path / f"{seed}.candidate.md").read_text())
    assert len(texts) > 1
