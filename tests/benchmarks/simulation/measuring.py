"""Measures service times on this machine, and compares the model with real runs on it."""

import itertools
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from staged.clone import hand_in, make

from hotloop.core import paths
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.judge.lease import Lease
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import judge_submission
from simulation.model import Arrival, Site, simulate
from simulation.times import ServiceTimes, Stage, TaskTimes

SMALL_CLASS = 24
LEASED = 40
"""Submissions in the real run of the lease."""
PLACES = 3
FASTER = 40.0
"""Speed-up factor of the lease's real run over the measured times."""


def measure(module: str, wrong: int) -> ServiceTimes:
    """Grade `module`'s reference, its untouched exercise and some wrong answers, task by task."""
    judged: dict[str, TaskTimes] = {}
    files = render.submission(module)
    untouched = {
        path.relative_to(paths.exercises() / module).as_posix(): path.read_bytes()
        for path in (paths.exercises() / module).rglob("*")
        if path.is_file()
    }
    mistakes = render.wrong_answers(module)
    with JudgeProcess() as process:
        for task in curriculum.load_module(module).tasks:
            if task.kind != "code":
                continue
            mine = [one for one in mistakes if one.task == task.id][:wrong]
            failing = [untouched, *(render.submission(module, one.path) for one in mine)]
            judged[task.id] = TaskTimes(
                right=[_judged(process, files, module, task.id)],
                failed=[_judged(process, one, module, task.id) for one in failing],
            )
    return ServiceTimes(
        device=device_name(),
        date=datetime.now(UTC).date().isoformat(),
        module=module,
        around_s=graded_one_by_one(SMALL_CLASS),
        tasks=judged,
    )


class _Stamped:
    """A judge that records when it got exclusive use of the machine, and how long it waited."""

    def __init__(self, process: JudgeProcess) -> None:
        self._process = process
        self.waited_s = 0.0
        self.alone_at: float | None = None

    def judge(self, job: Any, on_progress: Callable[[str], None], turn: Callable[[], None]) -> Any:
        def stamped() -> None:
            asked = time.monotonic()
            turn()
            self.alone_at = time.monotonic()
            self.waited_s = self.alone_at - asked

        return self._process.judge(job, on_progress, turn=stamped)


def _judged(process: JudgeProcess, files: Mapping[str, bytes], module: str, task: str) -> Stage:
    judge: Any = _Stamped(process)
    began = time.monotonic()
    judge_submission(files, module, [task], judge=judge)
    ended = time.monotonic()
    alone = ended - judge.alone_at if judge.alone_at is not None else 0.0
    shared = ended - began - alone - judge.waited_s
    return Stage(shared_s=round(shared, 4), exclusive_s=round(alone, 4))


# --- whole gradings -------------------------------------------------------------------------------


def graded_one_by_one(count: int) -> list[float]:
    """Return the seconds of each grading of a small class, one after the other."""
    starts, end = _spans(count, 1)
    ordered = [*sorted(starts), end]
    return [round(b - a, 4) for a, b in itertools.pairwise(ordered)]


def _spans(count: int, jobs: int) -> tuple[list[float], float]:
    """Return when each grading of a class began, and when all were done."""
    with tempfile.TemporaryDirectory(prefix="hotloop-service-") as folder:
        clone = make(Path(folder) / "clone")
        course = Path(folder) / "course"
        clone.run("prepare", str(course))
        hand_in(course, [f"learner_{number:03}" for number in range(count)])
        answer = clone.run("grade", str(course), "--jobs", str(jobs))
    return [times[0] for times in answer["spans"].values()], answer["seconds"]


def against_real_gradings(jobs: int = 2) -> dict[str, float]:
    """Return the seconds for a small class with `jobs` at once, measured here and in the model.

    The model gets the service times of the same class from a run just before, with the same number
    at once: that two gradings on two cores slow each other down is not part of the queue's model.
    """
    starts, end = _spans(SMALL_CLASS, jobs)
    took = (end - min(starts)) * jobs / SMALL_CLASS
    arrivals = [Arrival(0.0, [Stage(shared_s=took, exclusive_s=0.0)]) for _ in range(SMALL_CLASS)]
    modeled = simulate(Site(1, jobs, "none"), arrivals)
    starts, end = _spans(SMALL_CLASS, jobs)
    return {"real_s": end - min(starts), "modeled_s": modeled.end_s}


# --- the lease itself -----------------------------------------------------------------------------


def against_real_lease(times: ServiceTimes, seed: int) -> dict[str, float]:
    """Return the seconds that gradings wait for each other, with the real lease and in the model.

    In the real run the work is sleeping, `FASTER` times as fast as measured: only the order of
    access is compared, not processor speed.
    """
    rng = Random(seed)
    arrivals = [
        Arrival(
            0.0,
            [
                Stage(shared_s=s.shared_s / FASTER, exclusive_s=s.exclusive_s / FASTER)
                for s in times.visit(rng, 0.7)
            ],
        )
        for _ in range(LEASED)
    ]
    modeled = simulate(Site(1, PLACES, "machine"), arrivals)
    real = _played(arrivals)
    return {
        "real_s": max(real),
        "modeled_s": modeled.end_s,
        "real_median_s": statistics.median(real),
        "modeled_median_s": statistics.median(modeled.answered),
    }


def _played(arrivals: Sequence[Arrival]) -> list[float]:
    """Return when each arrival was done, with threads as places and the real lease."""
    done: list[float] = []
    left = list(arrivals)
    lock = threading.Lock()
    with tempfile.TemporaryDirectory(prefix="hotloop-lease-") as folder:
        lease = Lease(Path(folder), patience_s=0.0)  # which the model does not have
        began = time.monotonic()

        def place() -> None:
            while True:
                with lock:
                    if not left:
                        return
                    arrival = left.pop(0)
                for stage in arrival.stages:
                    with lease.turn() as turn:
                        time.sleep(stage.shared_s)
                        if stage.exclusive_s:
                            turn.alone()
                            time.sleep(stage.exclusive_s)
                done.append(time.monotonic() - began)

        threads = [threading.Thread(target=place) for _ in range(PLACES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return done
