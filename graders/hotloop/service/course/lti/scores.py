"""A learner's score of a module, as it is sent to the LMS."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from hotloop.core.record import Record, counts
from hotloop.core.transactions import reading
from hotloop.service.course.lti.points import of_module
from hotloop.service.tables import jobs, records
from hotloop.tasks.problem import Score
from hotloop.verdicts import words as verdict_words


@dataclass(frozen=True)
class ModuleScore:
    """A learner's score over a module's judged tasks.

    open: points that checks which are still open may add; the score is final when it is 0.
    """

    points: float
    possible: float
    open: float
    instrumented: bool = False


def standing(engine: Engine, account: int, module: str, course: Path | None) -> ModuleScore:
    """Return the sum of the best score of each task; of open points, those of its latest job only.

    Only what was judged as the course gave it counts. course: says what it is worth; None for none.
    """
    query = (
        select(records.c.task, records.c.record, jobs.c.variant)
        .join(jobs, jobs.c.id == records.c.job)
        .where(
            jobs.c.account == account,
            jobs.c.module == module,
            jobs.c.state == "done",
        )
        .order_by(jobs.c.ended)
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    points = of_module(module, course)
    judged: dict[str, list[Score]] = {task: [] for task in points.possible}
    instrumented = False
    for task, text, variant in rows:
        record = Record.from_json(json.loads(text))
        if task in judged and counts(record, variant):
            judged[task].append(points.score(task, record))
            instrumented |= bool(verdict_words.instrumented(record))
    best = {task: max((s.points for s in scores), default=0.0) for task, scores in judged.items()}
    still = [
        max(0.0, scores[-1].points + scores[-1].pending - best[task])
        for task, scores in judged.items()
        if scores
    ]
    possible = sum(points.possible.values())
    return ModuleScore(sum(best.values()), possible, sum(still), instrumented)


def score(standing: ModuleScore, subject: str, sent: float | None = None) -> dict[str, Any]:
    """Return the score as the LMS receives it.

    sent: the share of the points that the LMS has from us; None for none. While points are open,
    the score so far goes with the word Pending, and never less than the LMS has: AGS 2.0 has it
    clear a score when one comes without points. Before the first point no score is given, as many
    an LMS would take a zero for the grade.
    """
    about: dict[str, Any] = {
        "userId": subject,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "activityProgress": "Submitted",
    }
    so_far = f"{standing.points:g} of {standing.possible:g} points"
    if standing.instrumented:
        so_far += f", some{verdict_words.INSTRUMENTED}"
    if not standing.open:
        given = _given(standing.points, standing)
        return {**about, "gradingProgress": "FullyGraded", **given, "comment": f"{so_far}."}
    comment = f"{so_far} so far; checks worth {standing.open:g} more are still open."
    points = max(standing.points, (sent or 0.0) * standing.possible)
    given = _given(points, standing) if points or sent is not None else {}
    return {**about, "gradingProgress": "Pending", **given, "comment": comment}


def _given(points: float, standing: ModuleScore) -> dict[str, float]:
    return {"scoreGiven": points, "scoreMaximum": standing.possible}
