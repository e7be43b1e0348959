"""A course in which the better of two totals counts: of a hand-in in time, and of a late one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.course import drops, repricing
from hotloop.course.attempts.attempt import Attempt, Kind, now
from hotloop.course.attempts.store import store
from hotloop.course.book import WHY_BETTER, Book
from hotloop.course.config import database
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.lateness import LateRules
from hotloop.course.policy import utc_now
from hotloop.course.results import results
from hotloop.course.scores import Counting
from hotloop.course.standing import AttemptState, at_hand_in, attempts
from hotloop.course.worth import BETTER_COUNTS, LateHandIns

pytestmark = pytest.mark.slow

WHY = "agreed with the class"
DUE = timedelta(days=1)
EARLY, LATE = timedelta(days=2), timedelta(hours=12)
"""How long ago something was handed in; it was due a day ago."""

Enter = Callable[..., Attempt]


@pytest.fixture(scope="module")
def executed() -> dict[str, Attempt]:
    """The attempt of `enter`, which is executed once: 12 points."""
    return {}


@pytest.fixture
def enter(
    course: Any,
    make: SimpleNamespace,
    executed: dict[str, Attempt],
    monkeypatch: pytest.MonkeyPatch,
) -> Enter:
    """Enters a work of mia's: right, or with nothing right; being late costs half of the points."""
    if not executed:
        course.submit("ana", make.lab())
        course.grade()
        executed["ana"] = store(course.root).published("ana", "tiny")
    done = executed["ana"]
    monkeypatch.setattr(FeedbackPages, "refresh", lambda *_: "")
    half: Any = lambda _plugin, _student, points, _seconds: points / 2  # noqa: E731
    monkeypatch.setattr(LateSubmissionPlugin, "late_submission_penalty", half)
    with Gradebook(database(course.root)) as gradebook:
        gradebook.find_assignment("tiny").duedate = utc_now() - DUE
        gradebook.db.commit()

    def entered(ago: timedelta, *, right: bool = True) -> Attempt:
        when = f"{utc_now() - ago:%Y-%m-%d %H:%M:%S.%f} UTC"
        folder = course.root / "submitted" / "mia" / "tiny"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "timestamp.txt").write_text(when)
        records = done.records if right else {t: wrong(r) for t, r in done.records.items()}
        digest = f"{int(ago.total_seconds()):064x}"
        about = {"handed_in": when, "graded": now(), "digest": digest, "records": records}
        return Book(course.root).enter(replace(done, student="mia", id=None, **about))[0]

    return entered


def wrong(record: Record) -> Record:
    checks = tuple(
        replace(check, verdict=Verdict.WRONG_ANSWER, earned=0.0) for check in record.checks
    )
    return replace(record, verdict=Verdict.WRONG_ANSWER, checks=checks)


def better(root: Path) -> None:
    repricing.set_late_hand_ins(root, LateHandIns.BETTER, WHY)


def points(root: Path) -> float:
    [total] = results(root, [("mia", "tiny")], {}).totals
    return total.points


def test_a_late_one_that_is_better_in_spite_of_its_cost_counts(course: Any, enter: Enter) -> None:
    better(course.root)
    enter(EARLY, right=False)
    assert points(course.root) == 0
    late = enter(LATE)
    assert points(course.root) == 6
    assert store(course.root).published("mia", "tiny") == late


def test_one_in_time_that_is_better_goes_on_to_count(course: Any, enter: Enter) -> None:
    better(course.root)
    in_time = enter(EARLY)
    assert points(course.root) == 12
    assert enter(LATE).id == in_time.id
    assert points(course.root) == 12
    states = [one.state for one in attempts(course.root, "mia", "tiny")]
    assert states == [AttemptState.COUNTS, AttemptState.EARLIER]
    [*_, event] = store(course.root).events(student="mia", kind=Kind.PUBLISHED)
    assert (event.attempt_id, event.why) == (in_time.id, WHY_BETTER)
    time = (course.root / "autograded" / "mia" / "tiny" / "timestamp.txt").read_text()
    assert time == in_time.handed_in


def test_of_equal_totals_the_first_counts(course: Any, enter: Enter) -> None:
    better(course.root)
    first = enter(EARLY, right=False)
    assert enter(LATE, right=False).id == first.id


def test_the_rule_is_followed_when_it_is_set(course: Any, enter: Enter) -> None:
    in_time = enter(EARLY)
    enter(LATE)
    assert points(course.root) == 6
    with pytest.raises(UserError, match="why"):
        repricing.set_late_hand_ins(course.root, LateHandIns.BETTER, "")
    [change] = repricing.set_late_hand_ins(course.root, LateHandIns.BETTER, WHY).changes
    assert (change.student, change.before.points, change.after.points) == ("mia", 6, 12)
    assert store(course.root).published("mia", "tiny") == in_time
    assert not repricing.set_late_hand_ins(course.root, LateHandIns.CHOSEN, WHY).changes
    assert points(course.root) == 12
    assert enter(LATE - timedelta(hours=1)).id != in_time.id


def test_an_extension_moves_what_counts(course: Any, enter: Enter) -> None:
    better(course.root)
    enter(EARLY, right=False)
    enter(LATE)
    with Gradebook(database(course.root)) as gradebook:
        gradebook.find_submission("tiny", "mia").extension = timedelta(days=1)
        gradebook.db.commit()
    Book(course.root).apply_rules([("mia", "tiny")])
    assert points(course.root) == 12


def test_what_is_dropped_does_not_count_however_good_it_is(course: Any, enter: Enter) -> None:
    better(course.root)
    in_time = enter(EARLY)
    assert enter(LATE, right=False).id == in_time.id
    drops.drop(course.root, "mia", "tiny", in_time.number, WHY)
    assert points(course.root) == 0
    drops.restore(course.root, "mia", "tiny", in_time.number, WHY)
    assert points(course.root) == 12


def test_marks_by_hand_count_for_both(course: Any, enter: Enter) -> None:
    better(course.root)
    enter(EARLY)
    with Gradebook(database(course.root)) as gradebook:
        gradebook.find_grade("answer", "lab", "tiny", "mia").manual_score = 0.0
        gradebook.db.commit()
    before = points(course.root)
    enter(LATE)
    assert points(course.root) == before


def test_a_grading_takes_the_attempt_at_what_is_handed_in(course: Any, enter: Enter) -> None:
    """Or it would execute the late one each time, because the other one counts."""
    better(course.root)
    in_time = enter(EARLY)
    enter(LATE)
    [_, late] = store(course.root).history("mia", "tiny")
    handed_in: Any = SimpleNamespace(student="mia", module="tiny", digest=late.digest)
    assert at_hand_in(course.root, handed_in, in_time) == late
    handed_in.digest = "2" * 64
    assert at_hand_in(course.root, handed_in, in_time) is None
    repricing.set_late_hand_ins(course.root, LateHandIns.CHOSEN, WHY)
    assert at_hand_in(course.root, handed_in, in_time) == in_time


def test_it_is_said_where_a_learner_looks(course: Any, enter: Enter) -> None:
    at = datetime.now(UTC)
    assert "better" not in LateRules(course.root).consequence("tiny", "mia", at)
    better(course.root)
    assert enter(EARLY)
    assert "the better total counts" in LateRules(course.root).consequence("tiny", "mia", at)
    assert BETTER_COUNTS in Counting.of(course.root).worth("tiny").rules
