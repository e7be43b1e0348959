"""Judges a submission from files, without Jupyter: for the command line and tests."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal

from hotloop.core.record import Record
from hotloop.core.variant import Variant
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import digest, lay_out
from hotloop.judge.job import Job
from hotloop.judge.lease import Lease
from hotloop.judge.stub import stub_record
from hotloop.sandbox.confinement import SandboxUnavailable
from hotloop.sandbox.level import level
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.problem import load_problem
from hotloop.tasks.task_spec import task_spec

ALLOW_UNCONFINED = "HOTLOOP_ALLOW_UNCONFINED"
BUDGET_S = 300.0
"""Default time budget of one task in seconds."""
MEMORY_PER_JOB = 6 << 30
"""Bytes: the notebook's limit plus the memory of judge and baseline."""


def default_jobs() -> int:
    """Return the number of parallel gradings for which this machine has cores and memory.

    One more than it has cores, which works while another one waits for the others to measure.
    """
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores + 1, memory // MEMORY_PER_JOB))


def judge_submission(
    files: Mapping[str, bytes],
    module: str,
    tasks: Iterable[str],
    checks: Iterable[str] | None = None,
    *,
    judge: JudgeProcess | None = None,
    budget_s: float = BUDGET_S,
    variant: Variant | None = None,
    seed: str = "",
) -> dict[str, Record]:
    """Return the records by task. `files`: contents of the submission's files, by name.

    variant: variant of a take-home candidate. seed: as in `Job`.
    """
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        root = Path(folder)
        lay_out(files, root)
        return judge_folder(
            root,
            module,
            tasks,
            checks,
            judge=judge,
            budget_s=budget_s,
            variant=variant,
            seed=seed,
        )


def require_confinement() -> str:
    """Return the isolation level. Raises SandboxUnavailable if code cannot be confined.

    HOTLOOP_ALLOW_UNCONFINED=1 allows running unconfined; the level is then "none".
    """
    name, reason = level()
    if name == "none" and os.environ.get(ALLOW_UNCONFINED) != "1":
        raise SandboxUnavailable(
            f"This machine cannot confine code. {reason} "
            f"(To run your own code unconfined all the same, set {ALLOW_UNCONFINED}=1.)"
        )
    return name


def judge_folder(
    root: Path,
    module: str,
    tasks: Iterable[str],
    checks: Iterable[str] | None = None,
    *,
    judge: JudgeProcess | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
    budget_s: float = BUDGET_S,
    variant: Variant | None = None,
    given: Mapping[str, str] | None = None,
    seed: str = "",
    source: Path | None = None,
    device: Literal["", "cpu"] = "",
    nsight: bool = False,
) -> dict[str, Record]:
    """Return the records by task, for a folder with a submission's files.

    While speed is measured, no other grading runs on this machine. given, seed, source, device,
    nsight: as in `Job`.
    """
    own = judge is None
    process = judge or JudgeProcess()
    isolation = require_confinement()
    wanted = tuple(checks) if checks is not None else None
    summary = digest(root)

    problem = curriculum.load_module(module) if source is None else load_problem(source)

    def judged(task: str) -> Record:
        job = Job(
            module,
            task,
            task_spec(problem, task),
            source=None if source is None else str(source.resolve()),
            files=str(root),
            notebook=NOTEBOOK,
            isolation=isolation,
            checks=wanted,
            submission_digest=summary,
            budget_s=budget_s,
            turns=True,
            variant=None if variant is None else variant.to_json(),
            given=given or {},
            seed=seed,
            device=device,
            nsight=nsight,
        )
        if stub := stub_record(job):
            return stub
        with Lease().turn(lambda: on_progress("waiting for the machine")) as turn:
            return process.judge(job, on_progress, turn=turn.alone)

    try:
        return {task: judged(task) for task in tasks}
    finally:
        if own:
            process.close()
