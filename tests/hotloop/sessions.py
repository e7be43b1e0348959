"""Judging sessions over a folder, without a course's notebook."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.correct import Correct, Running
from hotloop.judge.checks.on_gpu import runs_on
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.launcher import Launcher
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import JudgingOptions, Session
from hotloop.judge.worker_connection import WorkerConnection


def new_session(
    files: Path | None = None,
    *,
    candidate: Candidate | None = None,
    launcher: Launcher | None = None,
    budget_s: float = 120.0,
    connect: Callable[[], WorkerConnection | None] = lambda: None,
    on_progress: Callable[[str], None] = lambda _text: None,
    **options: Any,
) -> Session:
    """Make a session without a sandbox on the CPU, unless changed. options: of JudgingOptions."""
    return Session(
        candidate or Candidate("nobody"),
        SubmissionFiles(files),
        launcher or Launcher("none"),
        Budget(budget_s),
        JudgingOptions(**options),
        connect=connect,
        progress=on_progress,
    )


def judge_on(check: Correct, driver: Driver, worker: Any, candidate: Candidate) -> int:
    """Return how many cases `check` found right on a fake GPU. Raises Ruling."""
    seeds = Seeds()
    run = runs_on(driver, worker.connection, candidate, seeds, 120.0)
    return check.judge(Running(run), check.truth.require, seeds.generator())
