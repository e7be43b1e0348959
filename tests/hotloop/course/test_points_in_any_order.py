"""Points that change in mid-term, GPU checks that need not count, late hand-ins: readers agree.

Whatever is graded, changed, dropped and marked by hand in whatever order: equal works have equal
marks, and all pages, tables and exports say the same number.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from nbgrader.api import Gradebook

from hotloop.core.user_error import UserError
from hotloop.course import drops, export, repricing, worth
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.class_page.marks import read_marks
from hotloop.course.class_page.summary import summary
from hotloop.course.config import CONFIG_FILE, course_api, database, load_config
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.formgrader.lists import ListsAPI
from hotloop.course.policy import utc_now
from hotloop.course.prepare import prepare
from hotloop.course.results import results
from hotloop.course.worth import GpuChecks, LateHandIns
from hotloop.tasks import curriculum

from .attempts.conftest import Server, server

__all__ = ["server"]

WHY = "agreed with the class"
DAY = timedelta(days=1)
EQUAL = ("ana", "bob")


@pytest.fixture(scope="module")
def attempts() -> dict[str, Attempt]:
    """The attempt of `graded`, which is executed once."""
    return {}


@pytest.fixture
def attempt(course: Any, make: SimpleNamespace, attempts: dict[str, Attempt]) -> Attempt:
    """A right work, judged without a GPU: 12 of 20 points, 2 that a GPU must measure."""
    if not attempts:
        course.submit("ana", make.lab())
        course.grade()
        attempts["one"] = store(course.root).published("ana", "tiny")
    return attempts["one"]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Returns a function that changes module.yaml: points by check, for each task."""
    published = curriculum.load_module

    def change(**points: dict[str, int]) -> None:
        whole = published("tiny")
        tasks = [
            task.model_copy(
                update={
                    "checks": [
                        check.model_copy(
                            update={"points": points.get(task.id, {}).get(check.id, check.points)}
                        )
                        for check in task.checks
                    ]
                }
            )
            for task in whole.tasks
        ]
        module = whole.model_copy(update={"tasks": tasks})
        monkeypatch.setattr(worth, "load_module", lambda _name: module)

    yield change
    monkeypatch.setattr(worth, "load_module", published)


class Term:
    """A course whose grading is entered without executing it. lea hands in late.

    mia has handed in the same as max, in time, and perhaps once more. late_counts: whether that
    does.
    """

    def __init__(self, root: Path, attempt: Attempt, change: Callable[..., None]) -> None:
        self.root, self._attempt, self._change = root, attempt, change
        self._graded: dict[str, Attempt] = {}
        self.settled: set[str] = set()
        with (root / CONFIG_FILE).open("a") as config:
            config.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
        with Gradebook(database(root)) as gradebook:
            gradebook.find_assignment("tiny").duedate = utc_now() - DAY
            gradebook.db.commit()
        self.late_counts = False
        for name in ("cleo", "dora", "eve", "lea", "max", "mia"):
            self.grade(name)

    def hand_in_late(self) -> None:
        self.grade("mia", late=True)
        if repricing.late_hand_ins_of(self.root) is LateHandIns.CHOSEN:
            self.late_counts = True

    def late(self, chosen: LateHandIns) -> None:
        repricing.set_late_hand_ins(self.root, chosen, WHY)
        self.late_counts &= chosen is LateHandIns.CHOSEN

    def grade(self, student: str, *, late: bool = False) -> None:
        days = 0.5 if late or student == "lea" else 2
        when = f"{utc_now() - days * DAY:%Y-%m-%d %H:%M:%S.%f} UTC"
        folder = self.root / "submitted" / student / "tiny"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "timestamp.txt").write_text(when)
        work = replace(self._attempt, student=student, handed_in=when, graded=now(), id=None)
        work = replace(work, digest="1" * 64) if late else work
        [self._graded[student]] = Book(self.root).enter(work)

    def change_points(self) -> None:
        self._change(answer={"correct": 8}, gpu_answer={"correct": 6, "gpu_correct": 1})

    def change_back(self) -> None:
        self._change()

    def publish(self) -> None:
        told = repricing.preview(self.root, ["tiny"]).changes
        try:
            done = repricing.publish(self.root, ["tiny"], WHY)
        except UserError:
            assert told == []
        else:
            assert done.changes == told

    def drop(self) -> None:
        drops.drop(self.root, "cleo", "tiny", self._graded["cleo"].number, WHY)

    def restore(self) -> None:
        if self._graded["cleo"].number in store(self.root).dropped("cleo", "tiny"):
            drops.restore(self.root, "cleo", "tiny", self._graded["cleo"].number, WHY)

    def settle_by_hand(self, student: str) -> None:
        """The written answer gets half of the points, the GPU task all of them."""
        worths = worth_of(self.root)
        self.settled.add(student)
        with Gradebook(database(self.root)) as gradebook:
            for task, share in (("explain", 0.5), ("gpu_answer", 1.0)):
                grade = gradebook.find_grade(task, "lab", "tiny", student)
                grade.manual_score = share * worths.possible(task)
            gradebook.db.commit()

    def gpu(self, chosen: GpuChecks) -> None:
        repricing.set_gpu_checks(self.root, chosen, WHY)


ACTIONS: dict[str, Callable[[Term], None]] = {
    "grade ana": lambda term: term.grade("ana"),
    "grade bob": lambda term: term.grade("bob"),
    "change the points": Term.change_points,
    "change them back": Term.change_back,
    "publish": Term.publish,
    "publish again": Term.publish,
    "drop": Term.drop,
    "restore": Term.restore,
    "settle dora by hand": lambda term: term.settle_by_hand("dora"),
    "settle eve by hand": lambda term: term.settle_by_hand("eve"),
    "left out": lambda term: term.gpu(GpuChecks.LEFT_OUT),
    "later": lambda term: term.gpu(GpuChecks.LATER),
    "required": lambda term: term.gpu(GpuChecks.REQUIRED),
    "mia hands in late": Term.hand_in_late,
    "the better": lambda term: term.late(LateHandIns.BETTER),
    "the chosen": lambda term: term.late(LateHandIns.CHOSEN),
}


def worth_of(root: Path) -> worth.Worth:
    return store(root).read(lambda connection: worth.of_course(connection, "tiny"))


Said = dict[str, tuple[float, float, float]]
"""Points, open points and maximum, by learner."""


def by_results(root: Path, students: list[str]) -> Said:
    totals = results(root, [(student, "tiny") for student in students], {}).totals
    return {t.student: (t.points, t.pending, t.possible) for t in totals}


def by_export(root: Path, students: list[str]) -> Said:
    rows = {row["student_id"]: row for row in export.table(root)}
    for row in rows.values():
        if row["score"] != export.PENDING:
            assert row["score"] == row["points_so_far"]
    return {
        name: (row["points_so_far"], row["points_pending"], row["max_score"])
        for name, row in rows.items()
        if name in students
    }


def by_class_page(root: Path) -> Said:
    totals = summary(read_marks(root), names=True).modules[0].totals
    return {name: (score.points, score.pending, score.possible) for name, score in totals.items()}


def by_lists(root: Path) -> Said:
    api: Any = course_api(load_config(root))
    lists: Any = ListsAPI(api.coursedir, config=load_config(root))
    rows = [row for row in lists.get_submissions("tiny") if row["autograded"]]
    return {row["student"]: (row["score"], row["pending"], row["max_score"]) for row in rows}


def by_lms(root: Path, students: list[str]) -> Said:
    scores = {name: export.score_of(root, name, "tiny") for name in students}
    return {n: (s.points, s.pending, s.possible) for n, s in scores.items() if s is not None}


def by_wide_table(root: Path, students: list[str]) -> dict[str, float]:
    rows = export.wide(root).rows
    return {row["student_id"]: row["tiny"] for row in rows if row["student_id"] in students}


def require_agreement(root: Path) -> Said:
    students = sorted(path.parent.name for path in (root / "submitted").glob("*/tiny"))
    said = by_results(root, students)
    assert by_export(root, students) == said
    assert by_class_page(root) == said
    assert by_lists(root) == said
    assert by_lms(root, students) == said
    assert by_wide_table(root, students) == {name: points for name, (points, *_) in said.items()}
    with Gradebook(database(root)) as gradebook:
        possible = gradebook.find_assignment("tiny").max_score
        assert {most for _, _, most in said.values()} == {possible}
        for name, (points, pending, _) in said.items():
            submission = gradebook.find_submission("tiny", name)
            penalty = submission.late_submission_penalty or 0.0
            if not pending or worth_of(root).gpu is GpuChecks.LATER:
                assert submission.score - penalty == pytest.approx(points)
    assert said["lea"][0] == 0, "late work gets nothing, whatever is open"
    if set(EQUAL) <= said.keys():
        assert said["ana"] == said["bob"]
    return said


def require_agreement_after_any_order(
    course_of: Callable[[], Path], attempt: Attempt, change: Callable[..., None], orders: int
) -> None:
    """course_of: returns another course in which the work was executed."""

    @settings(
        max_examples=orders,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],
        derandomize=True,
    )
    @given(order=st.permutations(list(ACTIONS)))
    def run(order: list[str]) -> None:
        change()
        root = course_of()
        # The work was executed in this course.
        with Gradebook(database(root)) as gradebook:
            if any(student.id == "ana" for student in gradebook.students):
                gradebook.remove_student("ana")
        term = Term(root, attempt, change)
        for name in order:
            ACTIONS[name](term)
            said = require_agreement(root)
            assert said["mia"] == said["max"] or term.late_counts
            assert said["mia"][0] == 0 or not term.late_counts
            if term.settled in (set(), {"dora", "eve"}):
                assert said["dora"] == pytest.approx(said["eve"])

    run()


@pytest.fixture
def kept(
    course: Any,
    attempt: Attempt,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The course as it is copied for each order."""
    monkeypatch.setattr(FeedbackPages, "refresh", lambda *_: "")
    shutil.rmtree(course.root / "submitted", ignore_errors=True)
    folder = tmp_path_factory.mktemp("kept") / "course"
    shutil.copytree(course.root, folder)
    return folder


@pytest.mark.slow
def test_all_readers_agree_after_any_order(
    kept: Path,
    attempt: Attempt,
    module: Callable[..., None],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def another() -> Path:
        return Path(shutil.copytree(kept, tmp_path_factory.mktemp("term") / "course"))

    require_agreement_after_any_order(another, attempt, module, 6)


@pytest.mark.slow
def test_so_they_do_on_postgresql(
    kept: Path,
    attempt: Attempt,
    module: Callable[..., None],
    server: Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    (kept / "gradebook.db").unlink()
    whole = (kept / CONFIG_FILE).read_text()
    begun = server.new_database()
    (kept / CONFIG_FILE).write_text(f"{whole}c.CourseDirectory.db_url = {begun!r}\n")
    prepare(kept, ["tiny"])

    def another() -> Path:
        root = Path(shutil.copytree(kept, tmp_path_factory.mktemp("term") / "course"))
        url = server.new_database(like=begun)
        (root / CONFIG_FILE).write_text(f"{whole}c.CourseDirectory.db_url = {url!r}\n")
        return root

    require_agreement_after_any_order(another, attempt, module, 2)
