"""`hotloop author proofs`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core import paths


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The proofs folder of a module that has nothing else."""
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path)
    made = tmp_path / "first" / "proofs"
    made.mkdir(parents=True)
    (made / "one.py").write_text("print('four bytes')\n")
    return made


def _run(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["author", "proofs", *words, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_what_is_not_recorded_fails_until_it_is(folder: Path) -> None:
    assert _run(code=1)[0]["state"] == "new"
    assert _run("--record", "first.one")[0]["state"] == "new"
    assert (folder / "one.txt").read_text() == "four bytes\n"
    assert _run() == [{"proof": "first.one", "state": "same", "sentence": ""}]
    (folder / "one.py").write_text("print('five bytes')\n")
    assert _run("first", code=1)[0]["state"] == "changed"
    shown = CliRunner().invoke(app, ["author", "proofs"])
    assert shown.exit_code == 1
    assert "prints something else" in shown.output


def test_a_program_that_fails_is_not_recorded(folder: Path) -> None:
    (folder / "one.py").write_text("assert False, 'a claim is wrong'\n")
    (outcome,) = _run("--record", code=1)
    assert outcome["sentence"] == "AssertionError: a claim is wrong"


def test_an_unknown_name_gets_one_sentence(folder: Path) -> None:
    done = CliRunner().invoke(app, ["author", "proofs", "second"])
    assert done.exit_code == 2
    assert "no proof 'second'" in done.output
