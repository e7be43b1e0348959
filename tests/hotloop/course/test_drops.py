"""A dropped attempt no longer counts, whatever is graded or regraded afterwards."""

import json
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.course import attempts
from hotloop.core.user_error import UserError
from hotloop.course import dates, drops, execution, grade, regrade, standing
from hotloop.course.attempts.attempt import AttemptPoints, Kind, account
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.class_page.marks import read_marks
from hotloop.course.config import CONFIG_FILE, course_api, database, load_config
from hotloop.course.policy import utc_now
from hotloop.course.progress import Progress

from .attempts.events import begin
from .exported import exported

WHY = "copied from bob"
GONE = "def work():\n    return 41\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of `twice`'s graded course, which is graded once and copied for each test."""
    return tmp_path_factory.mktemp("twice") / "course"


@pytest.fixture
def twice(course: Any, make: SimpleNamespace, kept: Path) -> Any:
    """ada answers everything, including the written task; then she hands in something worse."""
    if kept.is_dir():
        shutil.rmtree(course.root)
        shutil.copytree(kept, course.root)
        return course
    course.submit("ada", make.lab(explain="Because."))
    course.grade()
    course.submit("ada", make.lab("40 + 1", setup="x = 1"), files={"work.py": GONE})
    course.grade()
    shutil.copytree(course.root, kept)
    return course


@pytest.fixture
def executed(course: Any) -> Callable[..., set[str]]:
    """Returns a function that grades and returns whose submissions were executed."""

    def run(**more: Any) -> set[str]:
        seen: set[str] = set()

        def note(step: Progress) -> None:
            seen.add(step.student)

        found = grade.grade(course.root, settings=course.settings, on_progress=note, **more)
        assert found.problems == {}
        return seen

    return run


def ids(course: Any) -> list[int]:
    return [attempt.id for attempt in standing.attempts(course.root, "ada", "tiny")]


def states(course: Any) -> list[str]:
    return [attempt.state.value for attempt in standing.attempts(course.root, "ada", "tiny")]


def drop(course: Any, number: int, why: str = WHY) -> None:
    assert drops.drop(course.root, "ada", "tiny", number, why) == ""


def scores(course: Any) -> dict[str, tuple[float | None, bool]]:
    with Gradebook(database(course.root)) as gradebook:
        found = gradebook.find_submission_notebook("lab", "tiny", "ada")
        return {g.name: (g.auto_score, g.needs_manual_grade) for g in found.grades}


@pytest.mark.slow
def test_the_one_before_counts_and_nothing_is_executed(twice: Any) -> None:
    first, second = ids(twice)
    before = store(twice.root).history("ada", "tiny")
    assert scores(twice)["answer"] == scores(twice)["from_file"] == (0, False)
    drop(twice, second)
    assert states(twice) == ["counts", "dropped"]
    assert store(twice.root).history("ada", "tiny") == before
    assert scores(twice)["answer"] == (4, False)
    assert scores(twice)["from_file"] == (5, False)
    [mark] = [m for m in read_marks(twice.root).modules[0].marks if m.task == "answer"]
    assert (mark.score.points, mark.record) == (4, before[0].records["answer"])
    page = twice.page("ada")
    assert "12 of 20" in page
    assert "It returned 41" not in page
    assert "x = 1" not in str(twice.autograded("ada"))
    [event] = store(twice.root).events(kind=Kind.DROPPED)
    assert (event.attempt_id, event.why, bool(event.who)) == (second, WHY, True)
    assert (event.old, event.new) == (AttemptPoints(3, 2), AttemptPoints(12, 2))
    booked = store(twice.root).events(batch=event.batch, kind=Kind.PUBLISHED)
    assert [(e.attempt_id, e.why) for e in booked] == [(first, f"attempt {second} dropped: {WHY}")]


@pytest.mark.slow
def test_the_notebook_is_that_of_the_attempt_that_counts(twice: Any) -> None:
    """The dropped notebook has no written answer; the one that counts has one."""
    assert scores(twice)["explain"] == (0, False)
    drop(twice, ids(twice)[1])
    assert scores(twice)["explain"] == (None, True)
    assert "Because." in twice.page("ada")
    work = twice.root / "autograded" / "ada" / "tiny" / "work.py"
    assert "return 42" in work.read_text()


@pytest.mark.slow
def test_where_none_is_left_the_grades_are_pending(
    twice: Any, monkeypatch: pytest.MonkeyPatch, executed: Callable[..., set[str]]
) -> None:
    first, second = ids(twice)
    drop(twice, first)
    assert states(twice) == ["dropped", "counts"]
    assert scores(twice)["answer"] == (0, False)
    drop(twice, second)
    assert all(score is None for score, _ in scores(twice).values())
    assert "This attempt was dropped" in twice.page("ada")
    assert exported(twice.root, monkeypatch)["ada"]["score"] == "pending"
    assert executed() == set()
    assert {r.verdict for r in twice.grade().results} == {"dropped", "by hand"}
    assert store(twice.root).events(kind=Kind.DROPPED)[-1].new is None


@pytest.mark.slow
def test_it_is_graded_again_only_when_asked_for(
    twice: Any, executed: Callable[..., set[str]], make: SimpleNamespace
) -> None:
    drop(twice, ids(twice)[1])
    assert executed() == set()
    assert states(twice) == ["counts", "dropped"]
    assert executed(again=True) == {"ada"}
    assert states(twice) == ["earlier", "dropped", "counts"]
    assert executed() == set()
    drop(twice, ids(twice)[2])
    twice.submit("ada", make.lab("43"))
    assert executed() == {"ada"}
    assert states(twice) == ["earlier", "dropped", "dropped", "counts"]


@pytest.mark.slow
def test_restored_it_counts_as_if_nothing_had_been(twice: Any) -> None:
    before = (scores(twice), twice.autograded("ada"))
    second = ids(twice)[1]
    drop(twice, second)
    assert drops.restore(twice.root, "ada", "tiny", second, "it was bob who copied") == ""
    assert states(twice) == ["earlier", "counts"]
    assert (scores(twice), twice.autograded("ada")) == before
    assert "It returned 41" in twice.page("ada")
    [event] = store(twice.root).events(kind=Kind.RESTORED)
    assert (event.attempt_id, event.why) == (second, "it was bob who copied")
    assert (event.old, event.new) == (AttemptPoints(12, 2), AttemptPoints(3, 2))


@pytest.mark.slow
def test_an_older_grader_stays_the_one_that_judged(
    twice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = ids(twice)
    monkeypatch.setattr(execution, "grader_digest", lambda _module: "changed")
    drop(twice, second)
    assert ids(twice) == [first, second]


@pytest.mark.slow
def test_lateness_is_that_of_the_attempt_that_counts(course: Any, make: SimpleNamespace) -> None:
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    with Gradebook(database(course.root)) as gradebook:
        gradebook.find_assignment("tiny").duedate = utc_now() - timedelta(days=2)
        gradebook.db.commit()
    for days, answer in ((3, "42"), (1, "41")):
        when = f"{utc_now() - timedelta(days=days):%Y-%m-%d %H:%M:%S} UTC"
        course.submit("ada", make.lab(answer), files={"timestamp.txt": when})
        course.grade()
    assert penalty(course) == 8
    second = ids(course)[1]
    drop(course, second)
    assert penalty(course) is None
    assert drops.restore(course.root, "ada", "tiny", second, "after all") == ""
    assert penalty(course) == 8


def penalty(course: Any) -> float | None:
    with Gradebook(database(course.root)) as gradebook:
        found = gradebook.find_submission_notebook("lab", "tiny", "ada")
        return found.late_submission_penalty


@pytest.mark.slow
def test_what_a_person_decided_survives(twice: Any) -> None:
    with Gradebook(database(twice.root)) as gradebook:
        row = gradebook.find_grade("answer", "lab", "tiny", "ada")
        row.manual_score, row.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    drop(twice, ids(twice)[1])
    with Gradebook(database(twice.root)) as gradebook:
        row = gradebook.find_grade("answer", "lab", "tiny", "ada")
        assert (row.manual_score, row.auto_score, row.score) == (1.5, 4, 1.5)


@pytest.mark.slow
def test_a_kill_between_leaves_no_notebook_and_grading_goes_on(
    twice: Any, monkeypatch: pytest.MonkeyPatch, executed: Callable[..., set[str]]
) -> None:
    def killed(*_: Any, **__: Any) -> str:
        raise KeyboardInterrupt

    second = ids(twice)[1]
    with monkeypatch.context() as patch:
        patch.setattr(Book, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            drops.drop(twice.root, "ada", "tiny", second, WHY)
    assert states(twice) == ["counts", "dropped"]
    assert scores(twice)["answer"] == (4, False)
    assert not (twice.root / "autograded" / "ada" / "tiny").exists()
    assert executed() == set()
    assert "Because." in str(twice.autograded("ada"))
    assert "12 of 20" in twice.page("ada")


@pytest.mark.slow
def test_a_new_hand_in_is_left_to_grade(
    twice: Any, make: SimpleNamespace, executed: Callable[..., set[str]]
) -> None:
    twice.submit("ada", make.lab("43"))
    begin(store(twice.root), "ada", "tiny")
    drop(twice, ids(twice)[1])
    assert states(twice) == ["earlier", "dropped"]
    assert executed() == {"ada"}
    assert states(twice) == ["earlier", "dropped", "counts"]


@pytest.mark.slow
def test_a_regrade_leaves_it_dropped_and_says_so(
    twice: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = ids(twice)
    drop(twice, second)
    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    [change] = regrade.shadow(twice.root, "tiny", settings=twice.settings).changes
    assert change.skipped.startswith("dropped: what counts is an earlier hand-in")
    drop(twice, first)
    [change] = regrade.shadow(twice.root, "tiny", settings=twice.settings).changes
    assert change.skipped == "dropped, and nothing else counts"
    assert states(twice) == ["dropped", "dropped"]


@pytest.mark.slow
def test_a_regrade_takes_what_counts_of_the_same_hand_in(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regrade that was published and then dropped is not published by the next one."""
    course.submit("ada", make.lab())
    course.grade()
    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    regrade.shadow(course.root, "tiny", settings=course.settings)
    regrade.publish(course.root, "tiny", "the grader changed")
    drop(course, ids(course)[1])
    assert states(course) == ["counts", "dropped"]
    assert "Right." in course.page("ada")
    regrade.shadow(course.root, "tiny", settings=course.settings)
    assert states(course) == ["counts", "dropped", "shadow"]
    regrade.publish(course.root, "tiny", "once more")
    assert states(course) == ["earlier", "dropped", "counts"]


@pytest.mark.slow
def test_what_cannot_be_dropped_is_said(twice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ids(twice)
    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    regrade.shadow(twice.root, "tiny", settings=twice.settings)
    shadow = ids(twice)[2]
    drop(twice, first)
    for number, why, said in (
        (second, " ", "Say why"),
        (99, WHY, "has no attempt 99"),
        (shadow, WHY, "never counted"),
        (first, WHY, "dropped already"),
    ):
        with pytest.raises(UserError, match=said):
            drops.drop(twice.root, "ada", "tiny", number, why)
    with pytest.raises(UserError, match="is not dropped"):
        drops.restore(twice.root, "ada", "tiny", second, WHY)
    with pytest.raises(UserError, match="bob has no attempt"):
        drops.drop(twice.root, "bob", "tiny", first, WHY)
    assert states(twice) == ["dropped", "counts", "shadow"]


@pytest.mark.slow
def test_from_the_command_line(twice: Any) -> None:
    second = ids(twice)[1]
    call = ["course", "attempts", "ada", "tiny", "--course", str(twice.root)]
    shown = CliRunner().invoke(app, call)
    assert shown.exit_code == 0, shown.output
    assert "counts" in shown.stdout
    assert "earlier" in shown.stdout
    dropped = CliRunner().invoke(app, [*call, "--drop", str(second), "--why", WHY, "--json"])
    assert dropped.exit_code == 0, dropped.output
    older, newer = json.loads(dropped.stdout)["attempts"]
    assert (older["state"], older["points"], older["dropped"]) == (
        "counts",
        {"points": 12, "pending": 2},
        None,
    )
    assert (newer["state"], newer["dropped"]["why"]) == ("dropped", WHY)
    assert WHY in CliRunner().invoke(app, call).stdout
    refused = CliRunner().invoke(app, [*call, "--restore", str(second)])
    assert refused.exit_code == 2
    assert "Say why" in refused.stderr
    both = CliRunner().invoke(app, [*call, "--restore", "1", "--drop", "2"])
    assert both.exit_code == 2


@pytest.mark.slow
def test_the_log_says_who_changed_what(twice: Any) -> None:
    first, second = ids(twice)
    dates.set_due(twice.root, "tiny", datetime(2030, 1, 31, 18, 0))
    dates.extend(twice.root, "tiny", ["ada"], timedelta(days=1), "ill")
    dates.extend(twice.root, "tiny", ["bob"], timedelta(days=1), "not ada's")
    drop(twice, second)
    call = ["course", "attempts", "ada", "tiny", "--course", str(twice.root)]
    found = json.loads(CliRunner().invoke(app, [*call, "--log", "--json"]).stdout)["log"]
    noted = [(e["kind"], e["student"], e["attempt_id"], e["why"]) for e in found]
    assert noted == [
        ("points", "", None, "as in module.yaml when the first submission was entered"),
        ("published", "ada", first, "graded"),
        ("begun", "ada", None, "graded anew"),
        ("published", "ada", second, "graded"),
        ("scheduled", "", None, "due 2030-01-31 18:00 UTC"),
        ("scheduled", "ada", None, "extended by 1d: ill"),
        ("dropped", "ada", second, WHY),
        ("published", "ada", first, f"attempt {second} dropped: {WHY}"),
    ]
    assert {e["who"] for e in found} == {account()}
    assert all(datetime.fromisoformat(e["at"]).tzinfo for e in found)
    shown = CliRunner().invoke(app, [*call, "--log"]).stdout
    assert "scheduled for all" in " ".join(shown.split())
    assert "→" in shown
    assert "log" not in json.loads(CliRunner().invoke(app, [*call, "--json"]).stdout)


def test_the_whole_courses_log_is_listed_newest_last(
    twice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["course", "attempts", "--log", "--course", str(twice.root)]
    dates.set_due(twice.root, "tiny", datetime(2030, 1, 31))
    dates.extend(twice.root, "tiny", ["bob"], timedelta(days=1), "bob was ill")
    document = json.loads(CliRunner().invoke(app, [*call, "--json"]).stdout)
    assert [(e["kind"], e["student"]) for e in document["log"]][-3:] == [
        ("published", "ada"),
        ("scheduled", ""),
        ("scheduled", "bob"),
    ]
    monkeypatch.setattr(attempts, "SCREEN", 3)
    shown = " ".join(CliRunner().invoke(app, call).stdout.split())
    assert f"{len(document['log']) - 3} earlier: --all lists them" in shown
    assert shown.index("graded") < shown.index("bob was ill")
    assert "graded anew" not in shown
    everything = " ".join(CliRunner().invoke(app, [*call, "--all"]).stdout.split())
    assert "graded anew" in everything
    assert "earlier:" not in everything
    bobs = [*call[:2], "bob", *call[2:], "--json"]
    assert [
        (e["kind"], e["student"]) for e in json.loads(CliRunner().invoke(app, bobs).stdout)["log"]
    ] == [("points", ""), ("scheduled", ""), ("scheduled", "bob")]
    nobody = CliRunner().invoke(app, ["course", "attempts", "ada", "--course", str(twice.root)])
    assert nobody.exit_code == 2
    assert "Name a learner and a module" in nobody.stderr


@pytest.mark.slow
def test_nbgraders_own_command_grades_it_again_only_by_force(
    course: Any, make: SimpleNamespace
) -> None:
    for days, answer in ((2, "42"), (1, "41")):
        when = f"{utc_now() - timedelta(days=days):%Y-%m-%d %H:%M:%S} UTC"
        course.submit("ada", make.lab(answer), files={"timestamp.txt": when})
        course.grade()
    drop(course, ids(course)[1])
    config = load_config(course.root)
    config.Grading.update(course.settings)
    assert course_api(config).autograde("tiny", "ada", force=False)["success"]
    assert states(course) == ["counts", "dropped"]
    assert scores(course)["answer"] == (4, False)
    assert "return 42" in str(course.autograded("ada"))
    assert course_api(config).autograde("tiny", "ada", force=True)["success"]
    assert states(course) == ["earlier", "dropped", "counts"]
