"""Practice verdicts: CUDA tasks judged in one process, with no sandbox and on every system.

The checks, cases, references and sentences are those of a graded verdict; the simulator runs in
this process (`SimulatorHere`) in place of a worker's. What needs more than the simulator stays
open. The record says `practice`, so nothing that counts records counts it
(`hotloop.core.record.counts`).

A page calls `answer`, whose request and reply are JSON:

    {"task": "first_kernels.bias_gelu", "files": {"kernels.cu": "…"}, "spec": {…}, "given": {…}}

spec, given: as `hotloop.tasks.practice.description` wrote them down, since a page reads no YAML.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from hotloop.core.extras import SIMULATOR
from hotloop.core.record import Record
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.files import FilesInMemory
from hotloop.judge.job import Job
from hotloop.judge.judging import record_of, variant_of
from hotloop.judge.launcher import Launcher
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import JudgingOptions, Session
from hotloop.judge.simulator_here import SimulatorHere
from hotloop.judge.spec import TaskSpec
from hotloop.judge.task import TaskChecks, folder_of

ISOLATION = "webassembly"
"""`isolation` of practice verdicts."""

_BUDGET_S = 300.0
_OPEN = "Practice leaves this open: a graded verdict decides it"


@dataclass(frozen=True)
class NoProcesses(Launcher):
    """Starts no worker: what needs one is not measured."""

    isolation: str = ISOLATION

    def start(self, **_how: Any) -> NoReturn:
        """Raise Ruling(NOT_MEASURED)."""
        raise Ruling(Verdict.NOT_MEASURED, f"{_OPEN}.")

    def simulator(self, budget: Budget) -> SimulatorHere:
        """Return the simulator of this process."""
        return SimulatorHere(budget)


def open_checks(spec: TaskSpec) -> dict[str, str]:
    """Return, by check, why it is not judged for practice."""
    return {
        name: f"{_OPEN}, on a GPU." if check.gpu else f"{_OPEN}."
        for name, check in spec.checks.items()
        if check.gpu or SIMULATOR not in check.needs
    }


def judge(
    job: Job, files: Mapping[str, bytes], on_progress: Callable[[str], None] = lambda _text: None
) -> Record:
    """Return the practice verdict. Never raises: failures here become JUDGE_ERROR.

    files: contents of the submission's files, by name. job: `isolation`, `device` and folders of it
    are not read.
    """

    def open_session(task: TaskChecks) -> Session:
        return Session(
            task.candidate(job.spec),
            FilesInMemory(contents=files),
            NoProcesses(),
            Budget(job.budget_s),
            JudgingOptions(
                spec=job.spec, folder=folder_of(job.module, None), variant=variant_of(job)
            ),
            Seeds(bytes.fromhex(job.seed)),
            progress=on_progress,
        )

    return record_of(job, open_session, open_checks, practice=True)


def answer(request: str, on_progress: Callable[[str], None] = lambda _text: None) -> str:
    """Judge what a page asks for; both are JSON. Raises ValueError for what is no request."""
    try:
        asked: dict[str, Any] = json.loads(request)
        module, _, task = str(asked["task"]).partition(".")
        spec, given = TaskSpec.from_message(asked["spec"]), dict(asked["given"])
        files = {str(name): str(text).encode() for name, text in asked["files"].items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"this is no request for a verdict: {error!r}") from None
    job = Job(module, task, spec, isolation=ISOLATION, budget_s=_BUDGET_S, given=given)
    return json.dumps(judge(job, files, on_progress).to_json())
