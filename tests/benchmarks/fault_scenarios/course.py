"""A class's course in which faults are injected, and the checks of its state afterwards."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy
from staged.clone import Clone, Started, hand_in
from staged.processes import below, still_there

GRACE_S = 60.0
"""How long a grader's processes may outlive it, on a busy machine."""
LONGEST_S, LONGEST_A_SUBMISSION_S = 600.0, 10.0
"""Time limits of a grader and of each submission; an idle machine needs a tenth of them."""
_LOOK_S = 0.1
_GRADES = """
select submission.student_id, cell.name, grade.auto_score
from grade
join submitted_notebook as notebook on grade.notebook_id = notebook.id
join submitted_assignment as submission on notebook.assignment_id = submission.id
join base_cell as cell on grade.cell_id = cell.id
"""

HISTORY = {
    "graded": "select student, module, digest, grader from hotloop_attempts",
    # An attempt whose booking was interrupted is published again, but only the same attempt.
    "published": (
        "select student, module from (select distinct student, module, attempt_id "
        "from hotloop_events where kind = 'published') as counted"
    ),
}


class Unable(Exception):
    """This machine lacks what a scenario needs; the text says what."""


@dataclass
class Found:
    """The result of one scenario. faults: how often the fault happened."""

    submissions: int
    faults: int = 0
    starts: int = 0
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list[str])

    def row(self) -> dict[str, Any]:
        """Return a row of the table."""
        told = "; ".join(self.complaints[:3]) or "all as it must be"
        return {
            "submissions": self.submissions,
            "times": self.faults,
            "graders_started": self.starts,
            "seconds": round(self.seconds, 1),
            "came_of_it": told,
        }


class FaultyCourse:
    """A course of `count` submissions in `folder`, graded by processes started here."""

    def __init__(
        self, clone: Clone, folder: Path, count: int, jobs: int, executor: str = "local"
    ) -> None:
        self.clone, self.root, self.jobs, self.executor = clone, folder / "course", jobs, executor
        self.log = folder.parent / f"{folder.name}.log"
        self.found = Found(count)
        self.servers: Callable[[], set[int]] = set
        """Returns the processes below this one that do not belong to a grader."""
        self._began = time.monotonic()
        clone.run("prepare", str(self.root))
        self.given = hand_in(self.root, [f"learner_{number:04}" for number in range(count)])

    @property
    def url(self) -> str:
        """The gradebook's URL, as the grader uses it."""
        return str(self.clone.run("url", str(self.root)))

    @property
    def longest_s(self) -> float:
        """Time limit in seconds of a grader that grades everything."""
        return LONGEST_S + LONGEST_A_SUBMISSION_S * self.found.submissions

    def start(self) -> Started:
        """Start a grader of everything that is not graded yet."""
        self.found.starts += 1
        arguments = ("--jobs", str(self.jobs), "--executor", self.executor)
        return self.clone.start("grade", str(self.root), *arguments, log=self.log)

    def await_work(self, grader: Started) -> None:
        """Return when the grader has booked another result, has ended, or after `longest_s`."""
        before, deadline = self._booked(), time.monotonic() + self.longest_s
        while grader.process.poll() is None and self._booked() == before:
            if time.monotonic() > deadline:
                return
            time.sleep(_LOOK_S)

    def _booked(self) -> int:
        return sum(1 for _ in self.root.glob("autograded/*"))

    def kill(self, grader: Started) -> None:
        """Kill the grader with SIGKILL, as the kernel does when memory runs out."""
        grader.process.send_signal(signal.SIGKILL)
        grader.process.wait()
        self.found.faults += 1
        self.look_for_orphans("after a kill")

    def look_for_orphans(self, when: str) -> None:
        """Record processes that are still running, and kill them."""
        for words in still_there(os.getpid(), GRACE_S, self.servers):
            self.found.complaints.append(f"left running {when}: {words[:100]}")
        for pid in set(below(os.getpid())) - self.servers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def look_for_wrong_grades(self, when: str) -> None:
        """Record grades that are neither open nor right."""
        wrong = [
            f"{student} {task}: {score:g}"
            for student, task, score in self.grades()
            if score is not None and score != self.given[student].points[task]
        ]
        if wrong:
            self.found.complaints.append(f"{len(wrong)} wrong grades {when}, {wrong[0]}")

    def grades(self) -> list[tuple[str, str, float | None]]:
        """Return learner, task and automatic score, from nbgrader's gradebook."""
        return [(str(row[0]), str(row[1]), row[2]) for row in self.rows(_GRADES)]

    def rows(self, query: str) -> list[Any]:
        """Query the gradebook's database directly, without the grader's code."""
        engine = sqlalchemy.create_engine(self.url)
        try:
            with engine.connect() as connection:
                return list(connection.execute(sqlalchemy.text(query)).all())
        finally:
            engine.dispose()

    def finish(self, grader: Started | None = None) -> Found:
        """Grade what is left, grade once more, and check everything."""
        self.answer(grader or self.start())
        answer = self.answer(self.start())
        self.look_for_orphans("at the end")
        self.look_for_wrong_grades("at the end")
        self._look_at_results(answer)
        self._look_at_history()
        self.found.seconds = time.monotonic() - self._began
        return self.found

    def answer(self, grader: Started) -> Mapping[str, Any]:
        """Return the answer of a grader; {} if it hung or failed, which is reported."""
        if not self.await_end(grader):
            return {}
        try:
            return grader.document()
        except RuntimeError as error:
            self.found.complaints.append(f"a grader gave up: {' '.join(str(error).split())[-300:]}")
        return {}

    def await_end(self, grader: Started) -> bool:
        """Wait for a grader. Returns False if it hung and was killed, which is reported."""
        try:
            grader.process.wait(self.longest_s)
        except subprocess.TimeoutExpired:
            self.found.complaints.append(f"a grader did not end within {self.longest_s:.0f} s")
            self.kill(grader)
            return False
        return True

    def _look_at_results(self, answer: Mapping[str, Any]) -> None:
        points: dict[str, dict[str, float]] = {}
        for result in answer.get("results", []):
            points.setdefault(result["student"], {})[result["task"]] = result["points"]
        lost = [s for s, given in self.given.items() if points.get(s) != dict(given.points)]
        if lost:
            got = points.get(lost[0])
            self.found.complaints.append(f"{len(lost)} without their points, {lost[0]}: {got}")
        if problems := answer.get("problems"):
            first = next(iter(problems.values()))[-200:]
            self.found.complaints.append(f"{len(problems)} not dealt with: {first}")
        pages = {path.parents[1].name for path in self.root.glob("feedback/*/*/*.html")}
        if missing := self.given.keys() - pages:
            self.found.complaints.append(f"{len(missing)} without feedback")

    def _look_at_history(self) -> None:
        """Check that each submission was graded once by this grader, and counted once."""
        for what, query in HISTORY.items():
            keys = [tuple(row) for row in self.rows(query)]
            twice = [key for key, times in Counter(keys).items() if times > 1]
            if twice:
                self.found.complaints.append(f"{len(twice)} {what} twice, {twice[0][0]}")
            if without := self.given.keys() - {key[0] for key in keys}:
                self.found.complaints.append(f"{len(without)} never {what}")
