"""`hotloop check --seed`: judge again with the inputs of a record."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.tasks import render
from hotloop.tasks.local_judging import lay_out

WRONG = "transformer_compilation", "costs_nearest_shape"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An answer whose evidence depends on the inputs."""
    module, name = WRONG
    (wrong,) = [each for each in render.wrong_answers(module) if each.name == name]
    lay_out(render.submission(module, wrong.path), tmp_path)
    return tmp_path


def checked(folder: Path, *words: str) -> dict[str, Any]:
    what = f"{WRONG[0]}.learned_costs"
    done = CliRunner().invoke(app, ["check", what, str(folder), *words, "--json"])
    assert done.exit_code == 1, done.output
    (task,) = json.loads(done.stdout)["tasks"]
    return task["record"]


def regrets(record: dict[str, Any]) -> list[float]:
    """Return the regret for each machine that the judge drew."""
    (check,) = record["checks"]
    return check["evidence"]["machines"]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(200)
def test_the_seed_of_a_record_asks_the_same_again_and_none_asks_anew(folder: Path) -> None:
    first = checked(folder)
    seed = first["circumstances"]["seed"]
    again = checked(folder, "--seed", seed)
    assert regrets(again) == regrets(first)
    assert again["circumstances"]["seed"] == seed
    assert regrets(checked(folder)) != regrets(first)


@pytest.mark.slow
@pytest.mark.sandbox
def test_what_is_no_seed_is_refused_before_anything_is_judged(folder: Path) -> None:
    done = CliRunner().invoke(app, ["check", WRONG[0], str(folder), "--seed", "lucky", "--json"])
    assert done.exit_code == 2
    assert "lucky is no seed" in done.output
