"""Due dates and rules apply in whatever order they are set and work is graded; nothing executes."""

import itertools
import json
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.course import dates, execution, grade, regrade
from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store
from hotloop.course.class_page.marks import read_marks
from hotloop.course.config import CONFIG_FILE, course_api, load_config
from hotloop.course.policy import utc_now
from hotloop.course.progress import Progress
from hotloop.course.results import Graded

from .exported import exported

LATE = timedelta(days=1)
WHY = "ill for a week"


def penalties(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    rows = exported(root, monkeypatch)
    return {name: float(row["late_submission_penalty"]) for name, row in rows.items()}


def exported_so_far(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float]]:
    rows = exported(root, monkeypatch)
    return {
        name: (float(row["points_so_far"]), float(row["points_pending"]))
        for name, row in rows.items()
    }


def so_far(graded: Graded) -> dict[str, tuple[float, float]]:
    return {total.student: (total.points, total.pending) for total in graded.totals}


@pytest.fixture
def late(course: Any, make: SimpleNamespace) -> Any:
    """ada and bob hand in on the same day, which may turn out to be late."""
    when = f"{utc_now() - LATE:%Y-%m-%d %H:%M:%S} UTC"
    for student, answer in (("ada", "42"), ("bob", "41")):
        course.submit(student, make.lab(answer, answer), files={"timestamp.txt": when})
    return course


def set_rule(course: Any) -> None:
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')


def set_date(course: Any) -> None:
    dates.set_due(course.root, "tiny", utc_now() - 2 * LATE)


def give_time(course: Any) -> None:
    dates.extend(course.root, "tiny", ["ada"], 3 * LATE, WHY)


STEPS = {
    "grade": lambda course: course.grade(),
    "rule": set_rule,
    "date": set_date,
    "extension": give_time,
}


ORDERS = [
    order
    for order in itertools.permutations(STEPS)
    # What is extended is a date.
    if order.index("date") < order.index("extension")
]


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_all_orders_of_rule_and_grading_agree(
    late: Any, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    for step in order:
        STEPS[step](late)
    executed: set[str] = set()

    def note(step: Progress) -> None:
        executed.add(step.student)

    # Grading is enough to notice a rule in the settings file.
    graded = grade.grade(late.root, settings=late.settings, on_progress=note)
    assert executed == set()
    assert penalties(late.root, monkeypatch) == {"ada": 0.0, "bob": 5.0}
    assert so_far(graded) == exported_so_far(late.root, monkeypatch)
    assert "12 of 20" in late.page("ada")
    total = late.page("bob").partition('<p class="total">')[2].partition("</p>")[0]
    assert "0 of 20" in total


@pytest.mark.slow
def test_what_is_graded_follows_at_once(late: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    set_rule(late)
    late.grade()
    assert dates.set_due(late.root, "tiny", utc_now() - 2 * LATE).changed == ["ada", "bob"]
    found = dates.extend(late.root, "tiny", ["ada"], 3 * LATE, WHY)
    assert (found.changed, found.problems) == (["ada"], {})
    assert penalties(late.root, monkeypatch) == {"ada": 0.0, "bob": 5.0}
    assert "12 of 20" in late.page("ada")
    assert dates.extend(late.root, "tiny", ["ada"], timedelta(), "well again").changed == ["ada"]
    assert penalties(late.root, monkeypatch) == {"ada": 12.0, "bob": 5.0}
    noted = store(late.root).events(kind=Kind.SCHEDULED)
    assert [(e.student, e.module) for e in noted] == [
        ("", "tiny"),
        ("ada", "tiny"),
        ("ada", "tiny"),
    ]
    assert WHY in noted[1].why


REGRADES = list(itertools.permutations(["rule", "date", "publish"]))


@pytest.mark.slow
@pytest.mark.parametrize("order", REGRADES, ids="-".join)
def test_a_regrade_follows_the_dates_too(
    late: Any, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    late.grade()
    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    found = regrade.shadow(late.root, "tiny", settings=late.settings)
    for step in order:
        if step == "publish":
            found = regrade.publish(late.root, "tiny", "the grader changed")
        else:
            STEPS[step](late)
    graded = late.grade()
    assert penalties(late.root, monkeypatch) == {"ada": 12.0, "bob": 5.0}
    assert so_far(graded) == exported_so_far(late.root, monkeypatch)
    if order[-1] == "publish":
        assert found.totals == graded.totals


@pytest.mark.slow
def test_an_extension_comes_before_the_work(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_rule(course)
    set_date(course)
    give_time(course)
    assert exported(course.root, monkeypatch)["ada"]["status"] == "not submitted"
    assert read_marks(course.root).modules[0].marks == []
    when = f"{utc_now() - LATE:%Y-%m-%d %H:%M:%S} UTC"
    course.submit("ada", make.lab(), files={"timestamp.txt": when})
    course.grade()
    assert penalties(course.root, monkeypatch) == {"ada": 0.0}
    [due] = dates.dates(course.root)
    assert (due.module, due.extensions) == ("tiny", {"ada": 3 * LATE})


def head(path: Path) -> str:
    return "".join(json.loads(path.read_text())["cells"][0]["source"])


@pytest.mark.slow
def test_the_date_is_at_the_head_of_the_notebook(
    course: Any, make: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write(f"c.Exchange.root = {str(exchange)!r}\n")
    released = course.root / "release" / "tiny" / "lab.ipynb"
    assert "Due" not in head(released)
    api: Any = course_api(load_config(course.root))
    assert api.release_assignment("tiny")["success"]
    dates.set_due(course.root, "tiny", datetime(2030, 1, 31, 18, 0))
    said = "**Due 2030-01-31 18:00 UTC.**"
    assert head(released).startswith(said)
    assert head(exchange / "hotloop" / "outbound" / "tiny" / "lab.ipynb").startswith(said)
    # A submission with the date in it is graded; the date is not taken for an answer.
    course.submit("ada", json.loads(released.read_text()))
    graded = course.grade()
    assert graded.notes == {}
    assert said in course.page("ada").replace("<strong>", "**").replace("</strong>", "**")
    dates.set_due(course.root, "tiny", None)
    assert "Due" not in head(released)


def test_what_cannot_be_set_is_said(course: Any) -> None:
    with pytest.raises(UserError, match="never released"):
        dates.set_due(course.root, "other", None)
    with pytest.raises(UserError, match="never released"):
        dates.extend(course.root, "other", ["ada"], LATE, WHY)
    with pytest.raises(UserError, match="Say why"):
        dates.extend(course.root, "tiny", ["ada"], LATE, " ")
    assert store(course.root).events() == []


def test_the_commands_print_the_total_with_the_penalty(
    late: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    late.grade()
    set_rule(late)
    set_date(late)
    give_time(late)
    command = ["course", "grade", "--course", str(late.root)]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    # ada has no penalty, and so no line of her own.
    [line] = [line for line in shown.stdout.splitlines() if line.split()[:1] == ["total"]]
    assert " ".join(line.split()) == "total late 0/20 Minus 5 for late submission."
    totals = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["totals"]
    found = {total["student"]: (total["points"], total["pending"]) for total in totals}
    assert found == exported_so_far(late.root, monkeypatch)
    regraded = ["course", "regrade", "tiny", "--course", str(late.root), "--json"]
    assert json.loads(CliRunner().invoke(app, regraded).stdout)["totals"] == totals
    attempts = ["course", "attempts", "bob", "tiny", "--course", str(late.root)]
    assert "Total: 0/20. Minus 5 for late submission." in CliRunner().invoke(app, attempts).stdout
    document = json.loads(CliRunner().invoke(app, [*attempts, "--json"]).stdout)
    assert document["total"] == totals[1]


def run(root: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["course", "due", *arguments, "--course", str(root), "--json"])


@pytest.mark.slow
def test_from_the_command_line(late: Any) -> None:
    set_rule(late)
    late.grade()
    listed = run(late.root)
    assert listed.exit_code == 0, listed.output
    nothing = {"tiny": {"due": None, "extra_hours": {}}}
    assert json.loads(listed.stdout)["modules"] == nothing
    found = json.loads(run(late.root, "tiny", "2020-01-31T18:00+02:00").stdout)
    assert found["modules"]["tiny"]["due"] == "2020-01-31T16:00:00Z"
    assert found["changed"] == ["ada", "bob"]
    longer = ("tiny", "--student", "ada", "--extra", "9000d", "--why", WHY)
    found = json.loads(run(late.root, *longer).stdout)
    assert found["modules"]["tiny"]["extra_hours"] == {"ada": 9000 * 24}
    assert found["changed"] == ["ada"]
    refused = run(late.root, "tiny", "none")
    assert refused.exit_code == 2
    assert "extensions, for ada" in refused.stderr
    back = ("tiny", "--student", "ada", "--extra", "0h", "--why", "well again")
    assert json.loads(run(late.root, *back).stdout)["changed"] == ["ada"]
    assert json.loads(run(late.root, "tiny", "none").stdout)["changed"] == ["ada", "bob"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tiny", "tomorrow"), "no date and time"),
        (("tiny", "--extra", "2d"), "--student"),
        (("tiny", "--extra", "2 days", "--student", "ada"), "no time such as"),
        (("tiny", "2030-02-07T18:00", "--student", "ada", "--why", "ill"), "everybody's"),
        (("tiny", "2030-02-07T18:00", "--student", "ada"), "everybody's"),
        (("tiny", "2030-02-07T18:00", "--why", "ill"), "everybody's"),
        (("tiny", "2030-02-07", "--student", "ada", "--extra", "2d"), "--extra is for"),
        (("tiny", "--student", "ada"), "everybody's"),
        (("--student", "ada", "--extra", "2d", "--why", "ill"), "--extra is for"),
        (("tiny", "9999-12-31T23:59"), "too far off"),
        (("tiny", "9999-12-31"), "too far off"),
        (("huge",), "huge"),
    ],
)
def test_what_the_command_does_not_take(course: Any, arguments: tuple[str, ...], said: str) -> None:
    (course.root / "submitted" / "ada").mkdir(parents=True)
    before = dates.dates(course.root)
    refused = run(course.root, *arguments)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert dates.dates(course.root) == before
    assert store(course.root).events() == []


@pytest.mark.slow
@pytest.mark.parametrize("day", ["2030-01-31", "20300131", "2030-W05-4"])
def test_a_day_without_a_time_is_due_at_its_end(course: Any, day: str) -> None:
    command = ["course", "due", "tiny", day, "--course", str(course.root)]
    shown = CliRunner().invoke(app, command)
    assert "2030-01-31 23:59" in shown.stdout
    assert "the end of that day, in UTC" in shown.stdout
    [due] = dates.dates(course.root)
    assert due.due == datetime(2030, 1, 31, 23, 59, 59)


@pytest.mark.slow
def test_an_extension_is_shown_as_it_is_written(late: Any) -> None:
    set_date(late)
    for extra in ("48h", "36h", "9d"):
        words = ("due", "tiny", "--student", "ada", "--extra", extra, "--why", WHY)
        shown = CliRunner().invoke(app, ["course", *words, "--course", str(late.root)])
        assert f"ada (+{extra.replace('48h', '2d')})" in shown.stdout


@pytest.mark.slow
def test_an_extension_needs_a_date_that_it_extends(late: Any) -> None:
    with pytest.raises(UserError, match="no due date that could be extended"):
        give_time(late)
    set_date(late)
    give_time(late)
    with pytest.raises(UserError, match="extensions, for ada"):
        dates.set_due(late.root, "tiny", None)
    with pytest.raises(UserError, match="too long"):
        dates.extend(late.root, "tiny", ["ada"], timedelta(days=99_999_999), WHY)
    # Every date that can be set is one with which nbgrader can compute too.
    dates.set_due(late.root, "tiny", dates.LATEST - timedelta(seconds=1))
    dates.extend(late.root, "tiny", ["ada"], dates.LONGEST_EXTENSION, WHY)
    late.grade()
    api: Any = course_api(load_config(late.root))
    assert api.autograde("tiny", "ada", force=True)["success"]


@pytest.mark.slow
def test_what_another_program_wrote_at_the_end_of_time_stops_nobody(late: Any) -> None:
    with Gradebook(f"sqlite:///{late.root / 'gradebook.db'}") as gradebook:
        gradebook: Any
        gradebook.update_or_create_student("ada")
        submission = gradebook.update_or_create_submission("tiny", "ada")
        submission.extension = timedelta(days=2)
        submission.assignment.duedate = datetime(9999, 12, 31, 23, 59)
        gradebook.db.commit()
    graded = late.grade()
    assert graded.problems == {}
    assert {total.student for total in graded.totals} == {"ada", "bob"}


LATE_PLUGIN = """
from nbgrader.plugins import BasePlugin

class HalfADay(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score / 2
"""


@pytest.mark.slow
def test_a_plugin_lies_beside_the_settings(late: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (late.root / "late_rule_of_this_course.py").write_text(LATE_PLUGIN)
    with (late.root / CONFIG_FILE).open("a") as settings:
        name = "late_rule_of_this_course.HalfADay"
        settings.write(f"c.AssignLatePenalties.plugin_class = {name!r}\n")
    set_date(late)
    monkeypatch.chdir("/")
    late.grade()
    assert penalties(late.root, monkeypatch) == {"ada": 6.0, "bob": 2.5}


def test_a_plugin_that_is_not_there_is_named_with_the_settings(course: Any) -> None:
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write("c.AssignLatePenalties.plugin_class = 'no_such_file.Rule'\n")
    shown = run(course.root, "tiny", "2030-01-31T18:00")
    assert shown.exit_code == 2
    assert CONFIG_FILE in shown.stderr
    assert "no_such_file.Rule" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
