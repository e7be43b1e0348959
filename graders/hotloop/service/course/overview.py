"""Data of the instructor's pages: the queue, its workers, and faults of the service."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Engine, select

from hotloop.core.transactions import reading
from hotloop.service.course import people
from hotloop.service.course.watch import JobState, places
from hotloop.service.tables import jobs, lti_items, workers, works
from hotloop.service.web.accounts import accounts
from hotloop.service.web.queue import LEASE, WorkState

MOST = 100
"""Most rows on a page."""


@dataclass(frozen=True)
class OpenJob:
    """A job that has not ended."""

    who: str
    what: str
    submitted: datetime
    place: JobState


@dataclass(frozen=True)
class FailedWork:
    """A work that was given up."""

    who: str
    what: str
    at: datetime
    problem: str


@dataclass(frozen=True)
class UnsentScores:
    """Scores of a module that an LMS did not accept for the same reason.

    at: when one was sent last. is_over: they are not sent any more.
    """

    who: list[str]
    module: str
    at: datetime
    problem: str
    is_over: bool


@dataclass(frozen=True)
class KnownWorker:
    """A worker. beat: time of its last heartbeat."""

    name: str
    phase: str
    host: str
    beat: datetime

    @property
    def is_there(self) -> bool:
        """Whether it reported within the last `LEASE`."""
        return self.beat > datetime.now(UTC) - LEASE


def queue(engine: Engine) -> list[OpenJob]:
    """Return all open jobs: those being judged, then those that wait, in queue order."""
    states = places(engine)
    query = (
        select(jobs.c.id, accounts.c.name, jobs.c.module, jobs.c.tasks, jobs.c.submitted)
        .join(accounts, accounts.c.id == jobs.c.account)
        .where(jobs.c.state == "open")
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    title = people.titles(engine)
    open_jobs = [
        OpenJob(
            title(row.name),
            _what(row.module, row.tasks),
            row.submitted,
            states[row.id],
        )
        for row in rows
        if row.id in states
    ]
    return sorted(
        open_jobs, key=lambda one: (not one.place.running, one.place.phase, one.place.position or 0)
    )


def faults(engine: Engine) -> list[FailedWork]:
    """Return the works that were given up, the latest first."""
    query = (
        select(accounts.c.name, jobs.c.module, jobs.c.tasks, works.c.ended, works.c.problem)
        .join(jobs, jobs.c.id == works.c.job)
        .join(accounts, accounts.c.id == works.c.account)
        .where(works.c.state == WorkState.LOST)
        .order_by(works.c.id.desc())
        .limit(MOST)
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    title = people.titles(engine)
    return [FailedWork(title(r.name), _what(r.module, r.tasks), r.ended, r.problem) for r in rows]


def scores(engine: Engine) -> list[UnsentScores]:
    """Return the scores that the LMS has not accepted, the latest attempt first.

    A course that is over refuses a whole class's: one row.
    """
    columns = (lti_items.c.module, lti_items.c.tried, lti_items.c.problem, lti_items.c.refused)
    query = (
        select(accounts.c.name, *columns)
        .join(accounts, accounts.c.id == lti_items.c.account)
        .where(lti_items.c.problem != "")
        .order_by(lti_items.c.tried.desc())
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    title = people.titles(engine)
    alike: dict[tuple[str, str, bool], UnsentScores] = {}
    for row in rows:
        is_over = row.refused is not None
        new = UnsentScores([], row.module, row.tried, row.problem, is_over)
        one = alike.setdefault((row.module, row.problem, is_over), new)
        one.who.append(title(row.name))
    return list(alike.values())[:MOST]


def working(engine: Engine) -> list[KnownWorker]:
    """Return the known workers by name, also those that were silent for up to a day."""
    columns = (workers.c.name, workers.c.phase, workers.c.host, workers.c.beat)
    with reading(engine) as connection:
        rows = connection.execute(select(*columns).order_by(workers.c.name)).all()
    return [KnownWorker(*row) for row in rows]


def _what(module: str, tasks: str) -> str:
    return f"{module}: {', '.join(json.loads(tasks))}"
