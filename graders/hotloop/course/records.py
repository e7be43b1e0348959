"""What the judge said of a course's submissions, for whoever shows, exports or counts it.

It is kept in the store of attempts: one attempt a grading, never changed, never removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from hotloop import curriculum, problem
from hotloop.core.record import Record
from hotloop.course.attempts import attempt as attempts
from hotloop.course.attempts import store as transactions
from hotloop.course.attempts.attempt import Attempt, Environment, Kind, Points
from hotloop.course.attempts.course_store import store
from hotloop.course.attempts.grader import environment, grader_digest
from hotloop.course.attempts.record_files import TIME

FORMAT = 1


@dataclass(frozen=True)
class Grading:
    """What one grading of one submission said.

    graded: when it was executed. notes: about the hand-in, to the learner. outputs: by code cell,
    as a notebook file keeps them; none in what earlier versions kept. environment: where it was
    executed; this machine if not given. grader: digest of the code that judged it; this one's if
    empty. handed_in: when, as nbgrader noted it; None for what was graded before that was kept.
    """

    student: str
    module: str
    submission_digest: str
    graded: str
    notes: Sequence[str]
    records: Mapping[str, Record]
    outputs: Sequence[Sequence[Mapping[str, Any]]] = ()
    seconds: float = 0.0
    environment: Environment | None = None
    grader: str = ""
    handed_in: str | None = None


def add(root: Path, grading: Grading) -> Attempt:
    """Store a grading that does not count yet. Stored a second time, nothing changes."""
    return store(root).write(lambda connection: _add(connection, grading))


def keep(root: Path, grading: Grading, why: str = "graded", batch: str = "") -> Attempt:
    """Store a grading, unless it is there, and let it count from now on: both, or neither.

    FileExistsError rather than replace another one of the same time.
    """
    at = attempts.now()

    def work(connection: Connection) -> Attempt:
        kept = _add(connection, grading)
        before = transactions.last_published(connection, grading.student, grading.module)
        event = attempts.Event(
            id=0,
            at=at,
            who=attempts.account(),
            kind=Kind.PUBLISHED,
            student=kept.student,
            module=kept.module,
            attempt_id=kept.id,
            batch=batch,
            why=why,
            old=points(read(before)) if before is not None else None,
            new=points(grading),
        )
        transactions.note(connection, event)
        return kept

    return store(root).write(work)


def begin(root: Path, student: str, module: str, why: str = "graded anew") -> None:
    """Note that a grading begins: until it ends, older ones do not count any more."""
    store(root).begin(student, module, why=why)


def latest(root: Path, student: str, module: str) -> Grading | None:
    """The grading that counts; None when there is none, or the newest never ended."""
    attempt = store(root).published(student, module)
    return read(attempt) if attempt is not None else None


def history(root: Path, student: str, module: str) -> list[Grading]:
    """All gradings of a learner's submissions of a module, oldest first."""
    return [read(attempt) for attempt in store(root).history(student, module)]


def read(attempt: Attempt) -> Grading:
    """What an attempt found. ValueError when its document is not of this format."""
    document: dict[str, Any] = json.loads(attempt.document)
    if document.get("format", FORMAT) != FORMAT:
        raise ValueError(f"attempt {attempt.id}: format {document['format']!r} is not {FORMAT}")
    return Grading(
        student=attempt.student,
        module=attempt.module,
        submission_digest=attempt.submission_digest,
        graded=attempt.graded_at.strftime(TIME),
        notes=tuple(document["notes"]),
        records={task: Record.from_json(r) for task, r in document["records"].items()},
        outputs=document.get("outputs", ()),
        seconds=attempt.seconds,
        environment=Environment(attempt.environment, ""),
        grader=attempt.grader_digest,
        handed_in=document.get("handed_in"),
    )


def points(grading: Grading) -> Points | None:
    """What a grading is worth by itself: without late penalty, and without what a person decided.

    None for a module that is no longer there.
    """
    try:
        module = curriculum.load_module(grading.module)
    except (KeyError, ValueError, OSError):
        return None
    known = {task.id for task in module.tasks}
    scores = [problem.settle(module, t, r) for t, r in grading.records.items() if t in known]
    return Points(sum(s.points for s in scores), sum(s.pending for s in scores))


def now() -> str:
    """The time of a grading as text: UTC, to the microsecond."""
    return attempts.now().strftime(TIME)


def _add(connection: Connection, grading: Grading) -> Attempt:
    where = _environment(grading)
    attempt = _attempt(grading, where)
    if where.document:
        transactions.describe(connection, where)
    kept = transactions.add(connection, attempt)
    # What earlier versions wrote may say the same in other words.
    if kept.document != attempt.document and _document(read(kept)) != attempt.document:
        name = f"{grading.student}/{grading.module}"
        raise FileExistsError(f"{name} has another grading of {grading.graded}")
    return kept


def _environment(grading: Grading) -> Environment:
    if grading.environment is not None:
        return grading.environment
    found = [record.circumstances.isolation for record in grading.records.values()]
    return environment(found[0] if found else None)


def _attempt(grading: Grading, where: Environment) -> Attempt:
    about = [record.circumstances for record in grading.records.values()]
    return Attempt(
        student=grading.student,
        module=grading.module,
        submission_digest=grading.submission_digest,
        grader_digest=grading.grader or grader_digest(grading.module),
        environment=where.digest,
        # Each grading is one of its own, whatever the judge drew for it.
        seed=grading.graded,
        graded_at=datetime.strptime(grading.graded, TIME).replace(tzinfo=UTC),
        seconds=grading.seconds or sum(each.seconds for each in about),
        device=about[0].device if about else "",
        isolation=about[0].isolation if about else "",
        document=_document(grading),
    )


def _document(grading: Grading) -> str:
    document: dict[str, Any] = {
        "format": FORMAT,
        "notes": list(grading.notes),
        "records": {task: record.to_json() for task, record in grading.records.items()},
        "outputs": [list(map(dict, cell)) for cell in grading.outputs],
    }
    if grading.handed_in is not None:
        document["handed_in"] = grading.handed_in
    return json.dumps(document)
