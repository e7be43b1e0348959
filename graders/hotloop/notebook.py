"""`check("module.task")` and `predict("module.task")`, as the learner's notebook calls them.

It starts a judge as a child process, serves it from this kernel and shows what it says: feedback,
never points. Where the learner is logged in to a class's service, that judges the saved files in
its place, with the same verdicts. In the sandbox `hotloop.worker.check` stands in its place.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop import extras, stale_cell, verdict_words
from hotloop.core.user_error import UserError
from hotloop.notebook_cells import NOTEBOOK
from hotloop.worker.serve import serve

if TYPE_CHECKING:
    from hotloop.core.record import Record
    from hotloop.course.render_record import Shown
    from hotloop.judge.client import JudgeProcess
    from hotloop.variants import Variant

_judge: JudgeProcess | None = None

stale_cell.watch()


class Stopped(KeyboardInterrupt):
    """The learner has interrupted a check. A notebook shows it in one line."""

    def _render_traceback_(self) -> list[str]:
        """As IPython asks for it."""
        return [str(self)]


def check(key: str, *, budget_s: float = 120.0) -> Shown:
    """Judge `module.task` now and show the verdict.

    budget_s: seconds for the whole task. Interrupt the kernel to stop it; nothing is left behind.
    ValueError for a key that names no task, UserError where no judge can run.
    """
    module, _, task = key.partition(".")
    if not task:
        raise ValueError(f"{key!r} is not of the form module.task")
    _require_task(module, task)
    from hotloop.course.render_record import Shown
    from hotloop.curriculum import load_module
    from hotloop.practice import verdicts
    from hotloop.problem import settle
    from hotloop.remote import place
    from hotloop.takehome import manifest, work_log

    server = place.chosen()
    if server:
        record = _judge_there(module, task, server)
    elif gap := extras.why_no_judge():
        raise UserError(gap)
    else:
        record = _judge_here(module, task, budget_s)
    points = settle(load_module(module), task, record)
    own = not server and manifest.find(Path.cwd()) is None
    verdicts.note(record, points, "notebook", own=own)
    work_log.note_check(Path.cwd(), record, points)
    stale = stale_cell.advice(key, Path.cwd() / NOTEBOOK)
    begin = verdict_words.how_to_start(record, load_module(module).task(task).files)
    return Shown(record, points, advice=stale or begin or verdict_words.how_to_reproduce(record))


def predict(key: str) -> None:
    """Ask what becomes of the learner's code for `module.task` when one place of it is changed.

    The saved files are judged, in the sandbox. ValueError for a key that names no task, UserError
    where no judge can run, in a take-home, and where the task does not pass yet.
    """
    module, _, task = key.partition(".")
    _require_task(module, task)
    if gap := extras.why_no_judge():
        raise UserError(gap)
    from hotloop.course.progress_line import progress_line
    from hotloop.predicting import game
    from hotloop.remote import saved

    saved.require_saved(Path.cwd() / NOTEBOOK)
    own = game.work(module, task, Path.cwd())
    with progress_line(task) as say:
        asked = game.questions(own, say)
    game.play(module, asked)


def _require_task(module: str, task: str) -> None:
    from hotloop import curriculum

    try:
        curriculum.load_module(module).task(task)
    except KeyError as error:
        raise ValueError(
            f"'{module}.{task}' is no task that is installed here: {error.args[0]}. Use the "
            "notebook that `hotloop start MODULE` makes."
        ) from None


def _judge_there(module: str, task: str, server: str) -> Record:
    """Ask a class's service about the files as they are saved."""
    from hotloop.course.progress_line import progress_line
    from hotloop.practice import verdicts
    from hotloop.remote import asking, saved

    variant, given = _given(module)
    notebook = Path.cwd() / NOTEBOOK
    saved.require_saved(notebook)
    asked = asking.request(Path.cwd(), module, [task], variant=variant, given=given)
    before_s = verdicts.took_before([f"{module}.{task}"])
    with progress_line(task, before_s) as say:
        return asking.ask(server, asked, say)[task]


def _given(module: str) -> tuple[Variant, Mapping[str, str]]:
    """What the learner was asked, and what they were given; see `Job`."""
    from hotloop.takehome import manifest
    from hotloop.variants import beside

    found = manifest.find(Path.cwd())
    if found is None or found.manifest.module != module:
        return beside(Path.cwd(), module), {}
    return found.variant(), found.manifest.files


def _judge_here(module: str, task: str, budget_s: float) -> Record:
    """Be the worker of a judge that is this kernel's child."""
    global _judge
    from hotloop import curriculum
    from hotloop.core.wire import WireError
    from hotloop.course.progress_line import progress_line
    from hotloop.judge.client import JudgeProcess, lost
    from hotloop.judge.job import Job
    from hotloop.practice import verdicts
    from hotloop.task_spec import task_spec

    variant, given = _given(module)
    judge = _judge = _judge or JudgeProcess(quiet=True)
    job = Job(
        module,
        task,
        task_spec(curriculum.load_module(module), task),
        files=str(Path.cwd()),
        isolation="none",
        budget_s=budget_s,
        variant=variant.to_json(),
        given=given,
    )
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            judge.submit(job, theirs)
        before_s = verdicts.took_before([f"{module}.{task}"])
        with progress_line(task, before_s) as say:
            return _serve_until_done(ours, judge, say) or judge.collect(job, say)
    except KeyboardInterrupt:
        judge.kill()
        raise Stopped(f"{module}.{task} was stopped before there was a verdict.") from None
    except (WireError, OSError, ValueError, KeyError) as error:
        judge.kill()
        return lost(job, error)


def _serve_until_done(
    sock: socket.socket, judge: JudgeProcess, say: Callable[[str], None]
) -> Record | None:
    """The judge interrupts this kernel when its time is over; its verdict then lies ready."""
    try:
        serve(sock, sys.modules["__main__"].__dict__, lambda: judge.follow(sock, say))
    except KeyboardInterrupt:
        record = judge.ready_record()
        if record is None or not _interrupted_by_judge(record):
            raise
        return record
    return None


def _interrupted_by_judge(record: Record) -> bool:
    """The judge interrupts an overrun only; to it, a learner's Ctrl-C looks like a lost worker."""
    from hotloop.core.verdict import Verdict

    return any(rung.verdict is Verdict.TIMEOUT for rung in record.rungs)
