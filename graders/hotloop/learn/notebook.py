"""`check("module.task")` and `predict("module.task")`, as called in the learner's notebook.

`check` starts a judge as a child process, serves its requests from this kernel and shows the
verdict: feedback, never points. If the learner is logged in to a class's server, the server judges
the saved files instead, with the same verdicts. In the sandbox, `hotloop.worker.check` replaces
this module.
"""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core import extras
from hotloop.core.user_error import UserError
from hotloop.learn import stale_cell
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.verdicts import words as verdict_words
from hotloop.worker.serve import serve

if TYPE_CHECKING:
    from hotloop.core.record import Record
    from hotloop.judge.client import JudgeProcess
    from hotloop.tasks.variants import Variant
    from hotloop.verdicts.render_record import DisplayedRecord

_judge: JudgeProcess | None = None

stale_cell.watch()


class CheckInterrupted(KeyboardInterrupt):
    """The learner interrupted a check. A notebook shows it in one line."""

    def _render_traceback_(self) -> list[str]:
        """Called by IPython instead of formatting a traceback."""
        return [str(self)]


def check(key: str, *, budget_s: float = 120.0) -> DisplayedRecord:
    """Judge `module.task` now and show the verdict.

    budget_s: seconds for the whole task. To stop, interrupt the kernel; no process is left running.
        Raises ValueError if the key names no task, UserError if no judge can run.
    """
    module, _, task = key.partition(".")
    if not task:
        raise ValueError(f"{key!r} is not of the form module.task")
    _require_task(module, task)
    from hotloop.learn.pack import manifest, work_log
    from hotloop.learn.practice import verdicts
    from hotloop.learn.remote import place
    from hotloop.tasks.curriculum import load_module
    from hotloop.tasks.problem import settle
    from hotloop.verdicts.render_record import DisplayedRecord

    server = place.chosen()
    if server:
        record = _judge_there(module, task, server)
    elif gap := extras.why_no_judge():
        record = _judge_for_practice(module, task, gap)
    else:
        record = _judge_here(module, task, budget_s)
    points = settle(load_module(module), task, record)
    pack = manifest.find(Path.cwd())
    own = not server and pack is None
    verdicts.note(record, points, "notebook", own=own, variant=_given(module)[0].digest)
    work_log.note_check(Path.cwd(), record, points)
    stale = stale_cell.advice(key, Path.cwd() / NOTEBOOK)
    begin = verdict_words.how_to_start(record, load_module(module).task(task).files)
    advice = stale or begin or verdict_words.how_to_reproduce(record)
    following = [] if pack else _following(key, advised=bool(advice))
    return DisplayedRecord(record, points, advice=advice, following=following)


def _following(key: str, *, advised: bool) -> list[str]:
    """Return what is next, as sentences; a task of this notebook is checked in its own cell.

    advised: the card says already what to do about this task.
    """
    from hotloop.learn.learning.after_check import steps_after

    steps = [
        f"{step.what}: {step.why}. "
        + re.sub(r"`hotloop check (\w+\.\w+)`", r"`check('\1')`", f"`{step.command}`")
        for step in steps_after([key])
        if not (advised and step.command == f"hotloop check {key}")
    ]
    return [*steps, "All that you have done: `hotloop progress`. Practice: `hotloop interview`."]


def predict(key: str) -> None:
    """Ask what happens to the learner's code for `module.task` after a change in one place.

    The saved files are judged in the sandbox. Raises ValueError if the key names no task; UserError
    if no judge can run, in a take-home, and if the task does not pass yet.
    """
    module, _, task = key.partition(".")
    _require_task(module, task)
    if gap := extras.why_no_judge():
        raise UserError(gap)
    from hotloop.learn.predicting import game
    from hotloop.learn.remote import saved_notebook
    from hotloop.verdicts.progress_line import progress_line

    saved_notebook.require_saved(Path.cwd() / NOTEBOOK)
    own = game.work(module, task, Path.cwd())
    with progress_line(task) as say:
        items = game.questions(own, say)
    game.play(module, items)


def _require_task(module: str, task: str) -> None:
    from hotloop.tasks import curriculum

    try:
        curriculum.load_module(module).task(task)
    except KeyError as error:
        raise ValueError(
            f"'{module}.{task}' is no task that is installed here: {error.args[0]}. Use the "
            "notebook that `hotloop start MODULE` makes."
        ) from None


def _judge_there(module: str, task: str, server: str) -> Record:
    """Have the class's server judge the saved files."""
    from hotloop.learn.practice import verdicts
    from hotloop.learn.remote import judge_remotely, saved_notebook
    from hotloop.verdicts.progress_line import progress_line

    variant, digests = _given(module)
    notebook = Path.cwd() / NOTEBOOK
    saved_notebook.require_saved(notebook)
    request = judge_remotely.request(Path.cwd(), module, [task], variant=variant, given=digests)
    before_s = verdicts.took_before([f"{module}.{task}"])
    with progress_line(task, before_s) as say:
        return judge_remotely.ask(server, request, say)[task]


def _judge_for_practice(module: str, task: str, gap: str) -> Record:
    """Judge a CUDA kernel's saved file without the judge. Raises UserError(gap) for other tasks."""
    from hotloop.learn.pack import manifest
    from hotloop.tasks import practice
    from hotloop.tasks.curriculum import load_module
    from hotloop.verdicts.progress_line import progress_line

    problem = load_module(module)
    is_kernel = problem.task(task) in practice.kernels(problem)
    if not is_kernel or manifest.find(Path.cwd()) or extras.missing(extras.SIMULATOR):
        raise UserError(gap)
    variant, _ = _given(module)
    with progress_line(task) as say:
        records = practice.judge_folder(
            Path.cwd(), module, [task], on_progress=say, variant=variant
        )
    return records[task]


def _given(module: str) -> tuple[Variant, Mapping[str, str]]:
    """Return the learner's variant, and SHA-256 of the files they received; see `Job`."""
    from hotloop.learn.pack import manifest
    from hotloop.tasks.variants import beside

    pack = manifest.find(Path.cwd())
    if pack is None or pack.manifest.module != module:
        return beside(Path.cwd(), module), {}
    return pack.variant(), pack.manifest.files


def _judge_here(module: str, task: str, budget_s: float) -> Record:
    """Judge with a child process, for which this kernel is the worker."""
    global _judge
    from hotloop.core.wire import WireError
    from hotloop.judge.client import JudgeProcess, lost
    from hotloop.judge.job import Job
    from hotloop.judge.stub import stub_record
    from hotloop.learn.learning.after_check import read_ahead
    from hotloop.learn.practice import verdicts
    from hotloop.tasks import curriculum
    from hotloop.tasks.task_spec import task_spec
    from hotloop.verdicts.progress_line import progress_line

    variant, digests = _given(module)
    job = Job(
        module,
        task,
        task_spec(curriculum.load_module(module), task),
        files=str(Path.cwd()),
        isolation="none",
        budget_s=budget_s,
        variant=variant.to_json(),
        given=digests,
    )
    if stub := stub_record(job, sys.modules["__main__"].__dict__):
        return stub
    judge = _judge = _judge or JudgeProcess(quiet=True)
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            judge.submit(job, theirs)
        read_ahead()  # while the judge starts: later it might be measuring
        before_s = verdicts.took_before([f"{module}.{task}"])
        with progress_line(task, before_s) as say:
            return _serve_until_done(ours, judge, say) or judge.collect(job, say)
    except KeyboardInterrupt:
        judge.kill()
        raise CheckInterrupted(f"{module}.{task} was stopped before there was a verdict.") from None
    except (WireError, OSError, ValueError, KeyError) as error:
        judge.kill()
        return lost(job, error)


def _serve_until_done(
    sock: socket.socket, judge: JudgeProcess, say: Callable[[str], None]
) -> Record | None:
    """Serve the judge; return its record if it interrupted this kernel because time ran out.

    The judge sends the record before it interrupts. Returns None if it ended without interrupt.
    """
    from hotloop.core.verdict import Verdict

    try:
        serve(sock, sys.modules["__main__"].__dict__, lambda: judge.follow(sock, say))
    except KeyboardInterrupt:
        record = judge.ready_record()
        # The judge interrupts after a timeout only. After a learner's Ctrl-C, it reports a lost
        # worker instead.
        if record is None or all(check.verdict is not Verdict.TIMEOUT for check in record.checks):
            raise
        return record
    return None
