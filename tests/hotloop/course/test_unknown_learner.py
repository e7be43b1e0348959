"""A learner's name with a typo is refused, with what was meant, in every command that takes one."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.commands import GROUPS
from hotloop.course import dates, exchange
from hotloop.course.config import load_config
from hotloop.course.learners import learners
from hotloop.course.policy import utc_now

OTHER_WORDS = {
    "due": ("tiny", "--extra", "2d", "--why", "ill"),
    "grade": ("tiny",),
    "regrade": ("tiny",),
}
"""What else the commands need to come as far as the learner; none for one that is not named."""


def of_course() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    course = group.get_command(None, "course")
    return {name: course.get_command(None, name) for name in GROUPS["course"].names}


WITH_OPTION = [
    name
    for name, command in of_course().items()
    if any("--student" in each.opts for each in command.params)
]


def run(root: Path, *words: str) -> Any:
    return CliRunner().invoke(app, ["course", *words, "--course", str(root)])


def refused(found: Any) -> None:
    assert found.exit_code == 2, found.output
    assert "no learner called 'adda'; did you mean ada?" in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.fixture
def known(course: Any, make: Any) -> Any:
    course.submit("ada", make.lab())
    dates.set_due(course.root, "tiny", utc_now())
    return course


def test_it_is_not_a_new_learner_nor_one_without_work(known: Any) -> None:
    assert {"due", "grade", "regrade"} <= set(WITH_OPTION)
    for name in WITH_OPTION:
        refused(run(known.root, name, *OTHER_WORDS.get(name, ()), "--student", "adda"))
    refused(run(known.root, "attempts", "adda", "tiny"))
    refused(run(known.root, "attempts", "adda", "--log"))
    assert learners(known.root) == ["ada"]


def test_one_of_several_is_refused_with_all(known: Any) -> None:
    words = ("due", *OTHER_WORDS["due"], "--student", "ada", "--student", "adda")
    refused(run(known.root, *words))
    listed = json.loads(run(known.root, "due", "--json").stdout)
    assert listed["modules"]["tiny"]["extra_hours"] == {}


def test_whoever_has_handed_in_to_the_exchange_is_known(course: Any) -> None:
    folder, course_id = exchange.of(load_config(course.root))
    for name in ("cy+tiny+2026-11-29 01:53:59.1 UTC+x-_Y", "a+b+tiny+2026-11-29 01:53:59.1 UTC"):
        (folder / course_id / "inbound" / name).mkdir(parents=True)
    (folder / course_id / "inbound" / "request+abc.json").touch()
    assert learners(course.root) == ["a+b", "cy"]


def test_where_nobody_is_known_it_says_how_one_becomes_known(course: Any) -> None:
    dates.set_due(course.root, "tiny", utc_now())
    found = run(course.root, "due", *OTHER_WORDS["due"], "--student", "ada")
    assert found.exit_code == 2
    assert "nbgrader db student add ada" in found.stderr
