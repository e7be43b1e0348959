"""`hotloop progress`, on records written by the tests."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.learn.practice import store, verdicts

LINE = {
    "at": "2026-03-01T09:30:00.125Z",
    "task": "fused_softmax.online_pass",
    "verdict": "passed",
    "points": 10.0,
    "pending": 0.0,
    "possible": 10.0,
    "by": "notebook",
}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["progress", *words])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def _log(*lines: str) -> None:
    verdicts.path().parent.mkdir(parents=True)
    verdicts.path().write_text("\n".join(lines) + "\n")


def test_a_newcomer_is_sent_to_the_placement_test() -> None:
    told: Any = json.loads(_run("--json"))
    assert told["next"][0]["command"].startswith("hotloop placement ")
    assert {each["level"] for each in told["concepts"]} == {"not begun"}
    assert "What to do next" in _run()


def test_it_fits_a_screen_until_all_is_asked_for() -> None:
    assert len(_run().splitlines()) <= 24
    assert "--all shows each module" in _run()
    assert "Operator fusion" in _run("--all")
    assert "tvm_passes" not in _run("--track", "framework_internals")


def test_what_was_checked_is_shown() -> None:
    _log(json.dumps(LINE))
    told: Any = json.loads(_run("--json", "--track", "framework_internals"))
    (module,) = [each for each in told["tracks"][0]["modules"] if each["id"] == "fused_softmax"]
    assert (module["tasks_done"], module["level"]) == (1, "begun")
    assert "fused_softmax" in _run()
    shown = _run("--all")
    assert "fused_softmax.online_pass" in shown
    assert "10 of 10" in shown


def test_a_broken_line_is_told_of_and_the_rest_counts() -> None:
    _log(json.dumps(LINE), "{")
    done = CliRunner().invoke(app, ["progress", "--json"])
    assert done.exit_code == 0
    assert "verdicts.jsonl:2" in done.stderr.replace("\n", "")
    assert json.loads(done.stdout)["tracks"]


def test_records_of_another_form_are_refused_with_their_line() -> None:
    store.path().parent.mkdir(parents=True)
    store.path().write_text('{\n"format": 2\n}')
    assert "practice.json:2: format" in _run(code=2).replace("\n", "")


def test_a_track_that_does_not_exist_is_said() -> None:
    assert "did you mean dl_compilers" in " ".join(_run("--track", "dl_compiler", code=2).split())
