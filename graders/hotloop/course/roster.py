"""Who of a class has handed in what, and what is still to do about it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from hotloop.course.gradebook import Place, read, submissions
from hotloop.course.hand_in import SUBMITTED, TIMESTAMP, time_of
from hotloop.course.points import is_open
from hotloop.course.policy import due_date
from hotloop.course.scores import Counting, ScoredNotebook, grouped, handed_in, scored, whole
from hotloop.tasks.problem import Score


@dataclass(frozen=True)
class RosterEntry:
    """A learner and a module. name: as in the gradebook, or "".

    is_handed_in: a submission was collected. at: when, naive UTC; None if nothing says so. late:
    hours after the due date, extensions included. is_graded: grades are entered. by_hand: tasks
    that wait for a person; score: None for nothing handed in.
    """

    student: str
    name: str
    module: str
    is_handed_in: bool
    at: datetime | None
    late: float
    is_graded: bool
    by_hand: tuple[str, ...]
    score: Score | None


def roster(root: Path, modules: Collection[str] = ()) -> list[RosterEntry]:
    """Return an entry for each learner and released module, by module and learner.

    modules: only these; empty for all. Learners are those of the gradebook, and whoever handed in.
    """
    folders = {(path.parent.name, path.name) for path in (root / SUBMITTED).glob("*/*")}

    def work(gradebook: Any) -> list[RosterEntry]:
        counting = Counting.within(gradebook.db.connection())
        works = grouped(handed_in(root, scored(gradebook, counting)), lambda part: part.place)
        names = {student.id: _name(student) for student in gradebook.students}
        released = [each.name for each in gradebook.assignments]
        wanted = [name for name in sorted(released) if not modules or name in modules]
        everybody = sorted({*names, *(student for student, _ in folders)})
        places = [(student, module) for module in wanted for student in everybody]
        known = submissions(gradebook, places)
        return [
            _entry(root, place, names, known.get(place), works.get(place, []), place in folders)
            for place in places
        ]

    return read(root, work)


def _entry(
    root: Path,
    place: Place,
    names: Mapping[str, str],
    submission: Any,
    work: Sequence[ScoredNotebook],
    is_there: bool,
) -> RosterEntry:
    student, module = place
    text = time_of(root / SUBMITTED / student / module / TIMESTAMP) if is_there else ""
    at = parse_utc(text) if text else submission.timestamp if work and submission else None
    grades = [grade for part in work for grade in part.grades]
    due = due_date(submission) if submission is not None else None
    late = max(0.0, (at - due).total_seconds() / 3600) if at is not None and due else 0.0
    by_hand = [grade.name for part in work for grade in part.grades if _waits(part, grade)]
    return RosterEntry(
        student,
        names.get(student, ""),
        module,
        is_there or bool(work),
        at,
        round(late, 2),
        bool(grades) and not all(map(is_open, grades)),
        tuple(by_hand),
        whole(work) if work else None,
    )


def _waits(part: ScoredNotebook, grade: Any) -> bool:
    return is_open(grade) and not part.worth.is_judged(grade.name)


def _name(student: Any) -> str:
    return " ".join(filter(None, [student.first_name, student.last_name]))
