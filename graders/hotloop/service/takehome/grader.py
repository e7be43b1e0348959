"""Grades submissions from the portal's queue: `python -m hotloop.service.takehome.grader`.

`hotloop takehome serve` starts and supervises it. It is a separate process so that pages stay fast
while it works, and so that a crash loses nothing: see `hotloop.service.takehome.queue`.
"""

import logging
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from hotloop.core.yaml_lines import CurriculumError
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.executors import Executor, ExecutorWork, Lost
from hotloop.course.executors.local import Local
from hotloop.course.executors.ray import Ray
from hotloop.course.notebook_run import Terms
from hotloop.course.ray_cluster import ClusterUnavailable
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.service.takehome.portal import Portal
from hotloop.service.takehome.queue import WORKS, PortalQueue, QueuedSubmission
from hotloop.service.takehome.standing import written_since
from hotloop.service.web import process
from hotloop.service.web.process import Stopped
from hotloop.service.web.supervisor import Supervisor
from hotloop.takehome import grading, versions
from hotloop.takehome.archive import RefusedSubmission
from hotloop.takehome.execution import work
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import Team, TeamError, UnknownPack

LONGEST = 500
"""Most characters of an error message that a page shows."""

_IDLE_S = 0.5
_BEAT_S = 5.0
_RECONCILE_S = 30.0
_AGAIN_S = 10.0
"""Seconds to wait after a cluster did not respond, before the process is started again."""

WHO = "portal"
"""The audit log's name for cleanups by the grader."""

log = logging.getLogger("hotloop.takehome")


@dataclass
class Grader:
    """Grades what is in the queue, one batch of the executor after another.

    name: as a worker of the queue, unlike that of any other one.
    """

    team: Team
    queue: PortalQueue
    executor: Executor
    terms: Terms = field(default_factory=Terms)
    name: str = "grader"
    idle_s: float = _IDLE_S
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the grader was asked to end."""

    def run(self) -> None:
        """Grade until asked to end."""
        threading.Thread(target=self._beat, name="hotloop-heart", daemon=True).start()
        reconciled = -_RECONCILE_S
        while not self.ending.is_set():
            if time.monotonic() - reconciled >= _RECONCILE_S:
                self.reconcile()
                reconciled = time.monotonic()
            if not self.batch():
                self.ending.wait(self.idle_s)

    def _beat(self) -> None:
        """Send heartbeats for what this grader holds, and take over from graders that are gone."""
        while not self.ending.wait(_BEAT_S):
            # A database that is unavailable for a moment ends no grading.
            with suppress(SQLAlchemyError):
                self.queue.beat(self.name)

    def reconcile(self) -> None:
        """Requeue what an accident kept out of the queue.

        A damaged record does not stop the grading of others; `tidy` removes deleted packs.
        """
        try:
            self.team.sweep(WHO)
            self.queue.reconcile(self.team, self.written)
        except TeamError as error:
            log.error("%s", error)

    def batch(self) -> int:
        """Grade until the queue is empty; return the number of submissions handled.

        Raises ClusterUnavailable; what it held waits again then.
        """
        if not WORKS.has_waiting(self.queue.engine):
            # Avoid starting the executor, which may start a cluster, for an empty queue.
            return 0
        waiting = _Waiting(self)
        say = partial(log.info, "%s %s %s")
        booked = 0
        try:
            with closing(self.executor.run(waiting, self.terms, say)) as outcomes:
                for key, outcome in chain.from_iterable(outcomes):
                    self._book(*waiting.claimed.pop(key), outcome)
                    booked += 1
        except ClusterUnavailable:
            WORKS.give_back(self.queue.engine, self.name)
            raise
        return booked + waiting.settled

    def _book(self, one: QueuedSubmission, submission: Submission, outcome: Attempt | Lost) -> None:
        if isinstance(outcome, Lost):
            log.error("%s: %s", one.pack, outcome.reason)
            WORKS.fail(self.queue.engine, one.id, self.name, outcome.reason)
            return
        if not WORKS.is_held(self.queue.engine, one.id, self.name):
            log.error("%s was deleted, or is graded by another process by now", one.pack)
            return
        try:
            self.report(submission, outcome)
        except Exception as error:
            self.raise_if_ending(error)
            if not self.dropped(one):
                log.exception("no report on %s", one.pack)
                self.queue.failed(one.id, self.name, _sentence(error))
        else:
            self.queue.done(one.id, self.name)

    def raise_if_ending(self, error: Exception) -> None:
        """Raise Stopped if the error results from the interruption and not from a submission."""
        if self.ending.is_set():
            raise Stopped from error

    def dropped(self, one: QueuedSubmission) -> bool:
        """Return True and remove the queue entry if the candidate's data was deleted.

        A renamed role or a damaged file is not a deletion: the entry stays for people to look at.
        """
        try:
            self.team.pack(one.pack)
        except UnknownPack:
            self.queue.forget(one.pack)
            return True
        except TeamError:
            pass
        return False

    def report(self, submission: Submission, outcome: Attempt) -> None:
        """Write the report.

        Raises UnknownPack if the candidate's data was deleted in the meantime.
        """
        again = versions.judged(submission, self.team)
        report = make_report(submission, self.team, outcome.records, versions=again)
        grading.write(report, self.team)

    def prepared(self, one: QueuedSubmission) -> tuple[Submission, ExecutorWork]:
        """Open the submission; return it with the executor's work item.

        Raises UnknownPack if the candidate's data was deleted.
        """
        paths = {path.stem: path for path in self.team.submissions(one.pack)}
        if one.digest not in paths:
            raise TeamError(f"There is no submission {one.digest} of pack {one.pack}.")
        submission = open_submission(paths[one.digest], self.team)
        return submission, work(str(one.id), submission, self.team, submission.manifest.tasks)

    def written(self, pack: UUID, digest: str, since: datetime | None) -> bool:
        """True if a report on it exists, written since a time if one is given."""
        return written_since(self.team, pack, digest, since)


class _Waiting(Iterator[ExecutorWork]):
    """Iterates over the queue as it is at each moment; more may follow after its end."""

    def __init__(self, grader: Grader) -> None:
        self.claimed: dict[str, tuple[QueuedSubmission, Submission]] = {}
        self.settled = 0
        self._grader = grader

    def __next__(self) -> ExecutorWork:
        grader = self._grader
        while (one := grader.queue.claim(grader.name)) is not None:
            if one.began is not None and grader.written(one.pack, one.digest, one.queued):
                # An earlier grader ended after it had written the report.
                grader.queue.done(one.id, grader.name)
                self.settled += 1
                continue
            try:
                submission, item = grader.prepared(one)
            except Exception as error:
                grader.raise_if_ending(error)
                self.settled += 1
                if not grader.dropped(one):
                    log.exception("%s cannot be opened", one.pack)
                    grader.queue.failed(one.id, grader.name, _sentence(error))
            else:
                self.claimed[item.key] = one, submission
                return item
        raise StopIteration


def _sentence(error: Exception) -> str:
    """Format an error for the page: messages for people as they are, others with their type."""
    if isinstance(error, RefusedSubmission | TeamError | ForgedManifest | CurriculumError):
        return str(error)[:LONGEST]
    return f"{type(error).__name__}: {error}"[:LONGEST]


def supervisor(portal: Portal, jobs: int, ray: str) -> Supervisor:
    """Return the supervisor of a portal's grader. When it ends, what it held waits again at once.

    jobs: submissions at once on this machine. ray: address of a cluster; empty for this machine.
    """
    name = f"{platform.node()[:30]}-{os.getpid()}"
    settings = portal.settings
    command = [sys.executable, "-m", "hotloop.service.takehome.grader", str(settings.data)]
    command += ["--team", str(portal.team.folder), "--name", name]
    command += ["--jobs", str(jobs), "--ray", ray]
    ended = partial(WORKS.release, portal.engine, name)
    return Supervisor("grader", command, {process.DATABASE: settings.database}, ended)


def main() -> None:
    """Grade for a team's folder until this process is told to end or its parent ends."""
    parser = process.arguments(__doc__)
    parser.add_argument("--team", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ray", default="")
    arguments = parser.parse_args()
    queue = PortalQueue(process.begin("grader", arguments.folder))
    executor: Executor = Ray(arguments.ray) if arguments.ray else Local(arguments.jobs)
    grader = Grader(Team(arguments.team), queue, executor, name=arguments.name)
    process.end_by_signal(grader.ending)
    try:
        grader.run()
    except ClusterUnavailable as error:
        # Tried again in a new process: processes of a local cluster that did not start in time end
        # with the one that has started them.
        with suppress(Stopped):
            grader.ending.wait(_AGAIN_S)
        sys.exit(str(error))
    except BaseException as error:
        # Ray turns the signal into SystemExit while connecting, and may raise other errors when
        # interrupted at work.
        if not grader.ending.is_set() and not isinstance(error, SystemExit):
            raise
        log.warning("ended on request (%s)", type(error).__name__)
        WORKS.give_back(queue.engine, grader.name)


if __name__ == "__main__":
    main()
