"""A grader whose gradings take a given time, as a separate process.

`python quick_grader.py TEAM SECONDS TRACE`. Each grading that begins, and each report that is
written, adds a line to the file TRACE.
"""

import json
import sys
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path

from hotloop.core import whole_file
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.executors import ExecutorWork, Lost, Outcomes, Tell
from hotloop.course.notebook_run import Terms
from hotloop.service.settings import own_folder
from hotloop.service.tables import opened
from hotloop.service.takehome.grader import Grader
from hotloop.service.takehome.queue import PortalQueue
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team


@dataclass
class Sleeping:
    """An executor that only waits. lost: how many of its first gradings return nothing."""

    trace: Path
    seconds: float = 0.0
    lost: int = 0

    def run(self, works: Iterable[ExecutorWork], terms: Terms, tell: Tell) -> Generator[Outcomes]:
        for work in works:
            tell(work.key, "", "starting")
            noted(self.trace, f"begin {work.key}")
            time.sleep(self.seconds)
            if self.lost > 0:
                self.lost -= 1
                yield [(work.key, Lost("Its node was lost."))]
                continue
            yield [(work.key, Attempt("a", "m", "", "", {}, now(), 0.0, {}))]


@dataclass
class Quick(Grader):
    """Writes reports with only the fields that the queue reads."""

    trace: Path = Path()

    def report(self, submission: Submission, outcome: Attempt) -> None:
        document = {
            "score": {"low": 40.0, "high": 60.0},
            "submission": {"digest": submission.digest},
        }
        pack = submission.manifest.pack
        path = self.team.report_path(pack)
        # As `grading.write` does it.
        with self.team.alone():
            self.team.pack(pack)
            self.team.report_folder(pack)
            whole_file.replace(path, json.dumps(document).encode())
            whole_file.replace(path.with_suffix(".html"), b"<p>the report")
        noted(self.trace, f"report {submission.digest}")


def quick(
    team: Team, queue: PortalQueue, trace: Path, seconds: float = 0.0, lost: int = 0
) -> Quick:
    return Quick(team, queue, Sleeping(trace, seconds, lost), idle_s=0.05, trace=trace)


def noted(trace: Path, line: str) -> None:
    with trace.open("a") as stream:
        stream.write(line + "\n")


def main() -> None:
    team = Team(Path(sys.argv[1]))
    queue = PortalQueue(opened(own_folder(team.folder)))
    quick(team, queue, Path(sys.argv[3]), float(sys.argv[2])).run()


if __name__ == "__main__":
    main()
