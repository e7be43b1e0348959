"""Due dates and extensions from formgrader: what is graded follows at once, and is not executed."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course import dates
from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE
from hotloop.course.executors import local
from hotloop.course.policy import utc_now

LATE = timedelta(days=1)


@pytest.fixture
def late(desk: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What ada handed in yesterday is graded; lateness costs all points, and there is no date."""
    with (desk.course.root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    when = f"{utc_now() - LATE:%Y-%m-%d %H:%M:%S} UTC"
    desk.course.submit("ada", make.lab("42", "41"), files={"timestamp.txt": when})
    desk.course.grade()
    monkeypatch.delattr(local, "execute")
    return desk


def set_due(desk: Any, **asked: Any) -> Any:
    return desk.ask("api/assignment/tiny", asked, "PUT")


def extend(desk: Any, student: str = "ada", module: str = "tiny", **asked: Any) -> Any:
    return desk.ask(f"api/extension/{module}/{student}", asked, "PUT")


def row(desk: Any) -> tuple[float, float, float]:
    """Points, penalty and hours of the extension in the list of submissions."""
    [found] = desk.get("submissions/tiny")
    assert found == desk.get("submission/tiny/ada")
    return found["score"], found["penalty"], found.get("extension_hours", 0)


@pytest.mark.slow
def test_a_date_and_an_extension_apply_at_once(late: Any) -> None:
    assert row(late) == (9, 0, 0)
    due = utc_now().replace(microsecond=0) - 2 * LATE
    # As nbgrader's page sends it: the time without a zone, and the zone.
    there = due + timedelta(hours=2)
    answer = set_due(late, duedate_notimezone=there.isoformat(), duedate_timezone="+0200")
    assert answer.json["duedate"] == due.isoformat()
    assert row(late) == (0, 9, 0)
    assert extend(late, hours="72", why="ill").json == {"changed": ["ada"], "problems": {}}
    assert row(late) == (9, 0, 72)
    assert "9 of 20" in late.course.page("ada")
    assert extend(late, hours=0, why="well again").status == 200
    assert row(late) == (0, 9, 0)
    assert set_due(late, duedate_notimezone="", duedate_timezone="+0000").status == 200
    assert row(late) == (9, 0, 0)
    noted = [(e.student, e.why) for e in store(late.course.root).events(kind=Kind.SCHEDULED)]
    assert [student for student, _ in noted] == ["", "ada", "ada", ""]
    assert noted[1][1].endswith(": ill")


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"hours": 5, "why": " "},
        {"hours": -1, "why": "ill"},
        {"hours": "nan", "why": "ill"},
        {"hours": "soon", "why": "ill"},
        {"why": "ill"},
    ],
)
def test_what_is_no_extension_is_refused(late: Any, asked: Any) -> None:
    assert extend(late, **asked).status == 400
    assert row(late)[2] == 0


@pytest.mark.slow
def test_what_is_no_module_and_no_date_is_refused(late: Any) -> None:
    assert extend(late, module="nothing", hours=5, why="ill").status == 400
    assert set_due(late, duedate_notimezone="soon", duedate_timezone="").status == 400
    assert [due.due for due in dates.dates(late.course.root)] == [None]


@pytest.mark.slow
def test_an_assignment_that_was_never_released_stays_nbgraders(late: Any) -> None:
    asked = {"duedate_notimezone": "2030-01-31T18:00", "duedate_timezone": "+0000"}
    answer = late.ask("api/assignment/ours", asked, "PUT")
    assert (answer.status, answer.json["name"]) == (200, "ours")


@pytest.mark.slow
def test_without_the_token_nothing_changes(late: Any) -> None:
    asked = {"hours": 5, "why": "mine"}
    answer = late.ask("api/extension/tiny/ada", asked, "PUT", token="")
    assert answer.status in (302, 403)
    assert row(late)[2] == 0
