"""Who has handed in, when, how late, and what waits for a person."""

import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course import dates
from hotloop.course.config import database
from hotloop.course.policy import utc_now
from hotloop.course.roster import roster

DAY = timedelta(days=1)


@pytest.mark.slow
def test_each_learner_is_there_once_for_each_module(course: Any, make: SimpleNamespace) -> None:
    with Gradebook(database(course.root)) as gradebook:
        gradebook.add_student("zoe", first_name="Zoë", last_name="O'Neil")
    when = f"{utc_now() - DAY:%Y-%m-%d %H:%M:%S} UTC"
    course.submit("ada", make.lab(explain="Because."), files={"timestamp.txt": when})
    course.grade()
    course.submit("bob", make.lab())
    dates.set_due(course.root, "tiny", utc_now() - 2 * DAY)
    dates.extend(course.root, "tiny", ["yves"], DAY, "ill")
    ada, bob, yves, zoe = roster(course.root)
    assert (ada.is_handed_in, ada.is_graded, ada.by_hand) == (True, True, ("explain",))
    assert ada.late == pytest.approx(24, abs=0.1)
    assert ada.score is not None
    assert (ada.score.points, ada.score.pending) == (12, 8)
    assert (bob.is_handed_in, bob.is_graded, bob.score, bob.at) == (True, False, None, None)
    assert (yves.student, yves.is_handed_in, yves.score) == ("yves", False, None)
    assert (zoe.name, zoe.is_handed_in) == ("Zoë O'Neil", False)
    call = ["course", "attempts", "--course", str(course.root)]
    shown = CliRunner().invoke(app, call).stdout
    assert "of 4 learners 2 handed in, 1 late, 1 graded, 1 with a task to mark by hand" in shown
    missing = json.loads(CliRunner().invoke(app, [*call, "--missing", "--json"]).stdout)
    assert [entry["student"] for entry in missing["learners"]] == ["yves", "zoe"]
