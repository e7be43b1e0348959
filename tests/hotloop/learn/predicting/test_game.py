"""A learner's prediction game: its questions, its records, and when there are none."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.learn import notebook
from hotloop.learn.pack import manifest
from hotloop.learn.practice import predictions
from hotloop.learn.predicting import game, items
from hotloop.learn.predicting.items import ItemSet, Say
from hotloop.learn.predicting.outcomes import WORDS, JudgedPrediction
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.tasks import render

MODULE, TASK = "fused_softmax", "cuda_block"
KEY = f"{MODULE}.{TASK}"
RIGHT = JudgedPrediction(kind="none", check="", sentence="Right.")
NUMBER = {kind: str(number) for number, kind in enumerate(WORDS, 1)}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HOTLOOP_NO_VERDICT_LOG", raising=False)
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / MODULE
    work.mkdir()
    for name, data in render.submission(MODULE).items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)
    return work


def made_of(work: PredictedSubmission, before: JudgedPrediction = RIGHT) -> ItemSet:
    """Two real changes with given outcomes, a race and no fault."""
    found = [
        items.item_of(
            number,
            change,
            JudgedPrediction.model_validate(
                {"kind": kind, "check": "", "sentence": f"It is {kind}."}
            ),
        )
        for number, (change, kind) in enumerate(
            zip(changes(work, TASK), ("race", "none"), strict=False), 1
        )
    ]
    return ItemSet(
        module=MODULE, hotloop="0", seeds=[], unchanged={TASK: before}, tried=2, unclear=0,
        seconds=0.0, items=found,
    )  # fmt: skip


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(work: PredictedSubmission, _most: int, say: Say) -> ItemSet:
        say("made")
        return made_of(work)

    monkeypatch.setattr(items, "make", make)


def played(folder: Path, *said: str) -> tuple[list[predictions.PredictionLine], str]:
    answers, shown = iter(said), list[str]()
    asked = game.questions(game.work(MODULE, TASK, folder), print)
    lines = game.play(MODULE, asked, lambda _: next(answers), shown.append)
    return lines, "\n".join(shown)


@pytest.mark.usefixtures("judged")
def test_a_game(folder: Path) -> None:
    lines, shown = played(folder, NUMBER["race"], "90", NUMBER["wrong"], "70 %")
    assert [(line.said, line.was, line.sure, line.right) for line in lines] == [
        ("race", "race", 0.9, True),
        ("wrong", "none", 0.7, False),
    ]
    assert predictions.read() == lines
    assert "Right: a data race" in shown
    assert "Not so: nothing that the judge can see changes" in shown
    assert "1 of 1" in shown
    assert "0 of 1" in shown


@pytest.mark.usefixtures("judged")
def test_the_answer_is_not_shown_before_it_is_asked(folder: Path) -> None:
    shown: list[str] = []

    def ask(_prompt: str) -> str:
        assert "It is race." not in "\n".join(shown)
        return ""

    asked = game.questions(game.work(MODULE, TASK, folder), print)
    assert game.play(MODULE, asked, ask, shown.append) == []
    assert asked[0].operator not in "\n".join(shown)


@pytest.mark.usefixtures("judged")
def test_what_is_no_answer_is_asked_again(folder: Path) -> None:
    lines, _ = played(folder, "9", "x", NUMBER["race"], "200", "no", "50", "")
    assert [(line.said, line.sure) for line in lines] == [("race", 0.5)]


def test_it_begins_when_the_task_passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = JudgedPrediction(kind="wrong", check="correct", sentence="At [0, 0].")

    def make(work: PredictedSubmission, _most: int, _say: Say) -> ItemSet:
        return made_of(work, wrong)

    monkeypatch.setattr(items, "make", make)
    with pytest.raises(UserError, match=r"begins when fused_softmax.cuda_block passes: At"):
        game.questions(game.work(MODULE, TASK, folder), print)


def test_there_is_none_in_a_take_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = object()

    def find(_folder: Path) -> object:
        return pack

    monkeypatch.setattr(manifest, "find", find)
    with pytest.raises(UserError, match="no predicting in a take-home"):
        game.work(MODULE, TASK, folder)


@pytest.mark.usefixtures("judged")
def test_the_end_of_the_input_ends_the_game(folder: Path) -> None:
    asked = game.questions(game.work(MODULE, TASK, folder), print)

    def ask(_prompt: str) -> str:
        raise EOFError

    assert game.play(MODULE, asked, ask, lambda _: None) == []


def test_without_a_terminal_the_command_ends_before_anything_is_judged(folder: Path) -> None:
    done = CliRunner().invoke(app, ["check", KEY, str(folder), "--predict"])
    assert done.exit_code == 2
    assert "no terminal to answer in" in " ".join(done.output.split())


@pytest.mark.slow
@pytest.mark.usefixtures("judged")
def test_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotloop.cli.check._has_terminal", lambda: True)
    words = ["check", KEY, str(folder), "--predict"]
    said = f"{NUMBER['race']}\n50\n\n"
    done = CliRunner().invoke(app, words, input=said)
    assert done.exit_code == 0, done.output
    assert "Right: a data race" in done.output
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert [item["outcome"]["kind"] for item in document["questions"]] == ["race", "none"]
    progress = json.loads(CliRunner().invoke(app, ["progress", "--json"]).stdout)
    assert [(one["count"], one["right"]) for one in progress["predictions"]] == [(1, 1)]
    assert "What you predicted" in CliRunner().invoke(app, ["progress", "--all"]).output


@pytest.mark.parametrize("what", [MODULE, f"{MODULE}.explain"])
def test_the_command_asks_about_one_task_with_code(folder: Path, what: str) -> None:
    done = CliRunner().invoke(app, ["check", what, str(folder), "--predict"])
    assert done.exit_code == 2
    assert "--predict is about one task with code" in " ".join(done.output.split())


@pytest.mark.usefixtures("judged")
def test_in_the_notebook(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    answers = iter((NUMBER["none"], "30", ""))

    def typed(_prompt: str) -> str:
        return next(answers)

    monkeypatch.setattr("builtins.input", typed)
    notebook.predict(KEY)
    assert "Not so: a data race" in capsys.readouterr().out
    assert [line.task for line in predictions.read()] == [KEY]
    with pytest.raises(ValueError, match="no task that is installed"):
        notebook.predict("fused_softmax.nothing")


def test_in_the_sandbox_it_does_nothing() -> None:
    from hotloop.worker import check

    assert check.predict(KEY) is None


def test_a_log_that_is_turned_off_and_one_that_is_damaged(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = predictions.PredictionLine.model_validate(
        {"at": "2030-01-01T00:00:00Z", "task": KEY, "operator": "x", "said": "race", "sure": 0.5,
         "was": "none"}
    )  # fmt: skip
    predictions.note(line)
    with predictions.path().open("a") as stream:
        stream.write("{}\nnot json\n")
    assert predictions.read() == [line]
    monkeypatch.setenv("HOTLOOP_NO_VERDICT_LOG", "1")
    predictions.note(line)
    assert predictions.read() == [line]
    assert predictions.path().is_relative_to(home)
