"""Takes submissions from the portal's queue and grades them: `python -m
hotloop.takehome.portal.grader`, which `hotloop takehome serve` starts and watches.

It is a process of its own, so that pages stay quick while it works, and so that its end, however it
comes, loses nothing: see `hotloop.takehome.portal.queue`.
"""

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FrameType
from uuid import UUID

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.execution import Terms
from hotloop.course.executors import Executor, Lost, Work
from hotloop.course.executors.local import Local
from hotloop.course.executors.ray import Ray
from hotloop.ray_cluster import ClusterUnavailable
from hotloop.takehome import grading
from hotloop.takehome.execution import work
from hotloop.takehome.manifest import ForgedManifest
from hotloop.takehome.portal import database
from hotloop.takehome.portal.queue import Grading, Occupied, Queue, only_grader
from hotloop.takehome.portal.standing import written_since
from hotloop.takehome.reporting import make_report
from hotloop.takehome.submission import RefusedSubmission, open_submission
from hotloop.takehome.team import Team, TeamError, UnknownPack
from hotloop.web.supervisor import end_with_site
from hotloop.yaml_lines import CurriculumError

DATABASE = "HOTLOOP_PORTAL_DATABASE"
"""The environment variable with the database's URL, which may hold a password."""

LONGEST = 500
"""Characters of what a page says of a fault."""

_IDLE_S = 0.5
_RECONCILE_S = 30.0
_AGAIN_S = 10.0
"""After a cluster did not answer."""

WHO = "portal"
"""Who the audit log says has ended what was cut off."""

log = logging.getLogger("hotloop.takehome")


class Stopped(BaseException):
    """The grader was asked to end. No fault of a submission: nothing that catches faults may."""


@dataclass
class Grader:
    """Grades what is in the queue, one batch of the executor after the other."""

    team: Team
    queue: Queue
    executor: Executor
    terms: Terms = field(default_factory=Terms)
    idle_s: float = _IDLE_S
    asked: threading.Event = field(default_factory=threading.Event)
    """To end. What interrupts C code may come out of it as another error, which this explains."""

    def run(self) -> None:
        """Until it is asked to end. Whoever calls holds the lock of `only_grader`."""
        cut_off = self.queue.recover(self.written)
        if cut_off:
            log.warning("%d gradings were cut off", cut_off)
        looked = -_RECONCILE_S
        while not self.asked.is_set():
            if time.monotonic() - looked >= _RECONCILE_S:
                self.reconcile()
                looked = time.monotonic()
            if not self.batch():
                self.asked.wait(self.idle_s)

    def reconcile(self) -> None:
        """Find again what an accident kept from the queue. What was forgotten the portal drops.

        Where one record is damaged others are graded as before.
        """
        try:
            self.team.sweep(WHO)
            self.queue.reconcile(self.team, self.written)
        except TeamError as error:
            log.error("%s", error)

    def batch(self) -> int:
        """Grade until nothing waits any more; how many were dealt with."""
        if not self.queue.has_waiting():
            # An executor may start a cluster before it asks for work.
            return 0
        waiting = _Waiting(self)
        dealt = 0
        try:
            with closing(self.executor.run(waiting, self.terms, self._tell)) as outcomes:
                for key, outcome in outcomes:
                    self._book(waiting.claimed.pop(key), outcome)
                    dealt += 1
        except ClusterUnavailable as error:
            log.error("%s", error)
            self.queue.recover(self.written, asked=True)
            time.sleep(_AGAIN_S)
        return dealt + waiting.refused

    def _book(self, one: Grading, outcome: Attempt | Lost) -> None:
        if isinstance(outcome, Lost):
            log.error("%s: %s", one.pack, outcome.reason)
            self.queue.lost(one.id, outcome.reason)
            return
        try:
            self.report(one, outcome)
        except Exception as error:
            self.end_if_asked(error)
            if not self.dropped(one):
                log.exception("no report on %s", one.pack)
                self.queue.failed(one.id, _sentence(error))
        else:
            self.queue.done(one.id)

    def end_if_asked(self, error: Exception) -> None:
        """Stopped when an error is what was made of the interruption: no fault of a submission."""
        if self.asked.is_set():
            raise Stopped from error

    def dropped(self, one: Grading) -> bool:
        """Whether all about the candidate was deleted; then it leaves the queue.

        A role that is called otherwise now, or a damaged file, is no deletion: what is there stays,
        and people must look at it.
        """
        try:
            self.team.pack(one.pack)
        except UnknownPack:
            self.queue.forget(one.pack)
            return True
        except TeamError:
            pass
        return False

    def report(self, one: Grading, outcome: Attempt) -> None:
        """Write the report. UnknownPack when all about the candidate was deleted meanwhile."""
        submission = open_submission(self._zip(one), self.team)
        report = make_report(submission, self.team, dict(outcome.records))
        grading.write(report, self.team)

    def prepared(self, one: Grading) -> Work:
        """What the executor is given. UnknownPack when all about it was deleted."""
        submission = open_submission(self._zip(one), self.team)
        return work(str(one.id), submission, self.team, submission.manifest.tasks)

    def _zip(self, one: Grading) -> Path:
        for path in self.team.submissions(one.pack):
            if path.stem == one.digest:
                return path
        raise TeamError(f"There is no submission {one.digest} of pack {one.pack}.")

    def written(self, pack: UUID, digest: str, since: datetime | None) -> bool:
        """Whether there is a report on it; see `hotloop.takehome.portal.queue`."""
        return written_since(self.team, pack, digest, since)

    def _tell(self, key: str, task: str, text: str) -> None:
        log.info("%s %s %s", key, task, text)


class _Waiting(Iterator[Work]):
    """What is in the queue, at each moment: the end of it may be followed by more."""

    def __init__(self, grader: Grader) -> None:
        self.claimed: dict[str, Grading] = {}
        self.refused = 0
        self._grader = grader

    def __next__(self) -> Work:
        while (one := self._grader.queue.claim()) is not None:
            try:
                found = self._grader.prepared(one)
            except Exception as error:
                self._grader.end_if_asked(error)
                self.refused += 1
                if not self._grader.dropped(one):
                    log.exception("%s cannot be opened", one.pack)
                    self._grader.queue.failed(one.id, _sentence(error))
            else:
                self.claimed[found.key] = one
                return found
        raise StopIteration


def _sentence(error: Exception) -> str:
    """For the page: what was said for people, and of a fault its kind as well."""
    if isinstance(error, RefusedSubmission | TeamError | ForgedManifest | CurriculumError):
        return str(error)[:LONGEST]
    return f"{type(error).__name__}: {error}"[:LONGEST]


def main() -> None:
    """Grade for a team's folder until this process is told to end, or its parent ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("team", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ray", default="")
    arguments = parser.parse_args()
    end_with_site()
    logging.basicConfig(format="%(asctime)s grader: %(message)s", level=logging.WARNING)
    team = Team(arguments.team)
    queue = Queue(database.connect(team.folder, os.environ.pop(DATABASE, "")))
    executor: Executor = Ray(arguments.ray) if arguments.ray else Local(arguments.jobs)
    asked = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        # Only once: what ends then must not be interrupted.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        asked.set()
        raise Stopped

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        with only_grader(team.folder):
            grader = Grader(team, queue, executor, asked=asked)
            try:
                grader.run()
            except BaseException as error:
                # SystemExit is what Ray makes of the signal while it connects; interrupted at its
                # work it may raise errors of its own.
                if not asked.is_set() and not isinstance(error, SystemExit):
                    raise
                log.warning("ended on request (%s)", type(error).__name__)
                queue.recover(grader.written, asked=True)
    except Occupied as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
