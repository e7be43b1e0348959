"""Judges answers to a problem outside the curriculum: its author's own, or one of a public set.

It is the one way behind `hotloop judge PROBLEM FILE…` and `hotloop check TASK FOLDER --from
PROBLEM`: the first takes files, the second a folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from hotloop.cli import public_rows, records_table
from hotloop.cli.answer import CommandResult, require_local, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.tasks import own_problem
from hotloop.tasks.problem import JudgedTask, TaskSet, load_problem

if TYPE_CHECKING:
    from hotloop.author.external.forms import External
    from hotloop.judge.client import JudgeProcess


@dataclass(frozen=True)
class Opened:
    """A problem in Hotloop's own form. external: where it is, and the form that it has there.

    source: folder of its `problem.yaml` and `tasks.py`. seed, nsight: as in `Job`.
    """

    external: External
    source: Path
    problem: TaskSet[JudgedTask]
    seed: str = ""
    nsight: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is its author's, and not of a public set."""
        return self.external.form == "hotloop"


def checked(
    what: str | None, folder: Path | None, path: Path, seed: str, *, nsight: bool
) -> CommandResult:
    """Judge the answer in a folder. what: a task, or the folder if it is the only argument."""
    require_local()
    with _opened(path, seed, nsight=nsight) as opened:
        if what is not None and folder is None and _is_folder(what, opened.problem):
            what, folder = None, Path(what)
        return _judged(opened, what, [(folder or Path()).resolve()], everything=False)


def judged(path: Path, answers: Sequence[Path], *, everything: bool) -> CommandResult:
    """Judge answers, each a file or a folder. everything: list all of them, not a screen."""
    require_sandbox()
    with _opened(path) as opened:
        return _judged(opened, None, answers, everything=everything)


@contextmanager
def _opened(path: Path, seed: str = "", *, nsight: bool = False) -> Generator[Opened]:
    from hotloop.author.external import forms

    external = forms.find(path)
    with forms.own_form(external) as source:
        yield Opened(external, source, load_problem(source), seed, nsight)


def _is_folder(what: str, problem: TaskSet[JudgedTask]) -> bool:
    """Return whether the only argument is a folder, as in other commands, and not a task."""
    files = [task.files[-1] for task in problem.tasks if task.id == what]
    return Path(what).is_dir() and not any(Path(name).is_file() for name in files)


def _judged(
    opened: Opened, what: str | None, answers: Sequence[Path], *, everything: bool
) -> CommandResult:
    from hotloop.author.external import SUBMISSION
    from hotloop.judge.client import JudgeProcess

    tasks = _tasks(opened, what)
    if not opened.is_own:
        answers = [answer / SUBMISSION if answer.is_dir() else answer for answer in answers]
    for answer in answers:
        _require_answer(answer, tasks)
    require_sandbox()
    # An author is told in a line where the problem failed; --json has the traceback.
    with JudgeProcess(quiet=opened.is_own) as judge:
        records = [_judge(opened, answer, tasks, judge) for answer in answers]
    if not opened.is_own:
        from hotloop.author.external.suite import SuiteResult

        [task] = tasks
        pairs = zip(answers, records, strict=True)
        rows = [
            SuiteResult.of(opened.external, answer, record[task.id]) for answer, record in pairs
        ]
        return public_rows.answer(rows, everything)
    return _answer(opened, tasks, list(zip(answers, records, strict=True)))


def _tasks(opened: Opened, what: str | None) -> list[JudgedTask]:
    """Return the tasks to judge.

    Raises UserError if no code is among them, or if the author's two files do not match.
    """
    try:
        tasks = [opened.problem.task(what)] if what else opened.problem.tasks
    except KeyError as error:
        raise UserError(error.args[0]) from None
    if opened.is_own:
        for task in tasks:
            own_problem.require_checks(opened.problem, task, opened.source)
    if not any(task.kind == "code" for task in tasks):
        raise UserError(f"{what} is graded by a person: there is nothing that can be run.")
    return tasks


def _require_answer(answer: Path, tasks: Sequence[JudgedTask]) -> None:
    if answer.is_file():
        _task_of(answer, tasks)
        return
    if not answer.is_dir():
        raise UserError(f"There is no {answer}.")
    for task in tasks:
        if not (answer / task.files[-1]).is_file():
            raise UserError(f"There is no {task.files[-1]} in {answer.resolve()}.")


def _task_of(file: Path, tasks: Sequence[JudgedTask]) -> JudgedTask:
    """Return the task that a single file answers. Raises UserError if that is not clear."""
    code = [task for task in tasks if task.kind == "code"]
    named = [task for task in code if task.files[-1] == file.name]
    of = named if len(code) > 1 else code
    if len(of) != 1:
        names = ", ".join(task.files[-1] for task in code)
        raise UserError(
            f"{file} does not say which task it answers: name it as one of {names}, or name a "
            "folder with all of them."
        )
    return of[0]


def _judge(
    opened: Opened, answer: Path, tasks: Sequence[JudgedTask], judge: JudgeProcess
) -> dict[str, Record]:
    from hotloop.tasks.local_judging import judge_folder

    chosen = [_task_of(answer, tasks)] if answer.is_file() else tasks
    with _folder(opened, answer, chosen) as work, judging_line() as say:
        return judge_folder(
            work,
            opened.problem.id,
            [task.id for task in chosen if task.kind == "code"],
            judge=judge,
            on_progress=lambda text: say(f"{answer.name or 'judging'}: {text}"),
            seed=opened.seed,
            source=opened.source,
            nsight=opened.nsight,
        )


@contextmanager
def _folder(opened: Opened, answer: Path, tasks: Sequence[JudgedTask]) -> Generator[Path]:
    """Yield the folder to judge: the answer's own, or a new one with what belongs beside it."""
    if answer.is_dir():
        yield answer
        return
    from hotloop.author.external import forms
    from hotloop.judge.files import lay_out

    files = {tasks[0].files[-1]: answer.read_bytes()}
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        lay_out(
            files if opened.is_own else forms.submission(opened.external, answer), Path(scratch)
        )
        yield Path(scratch)


def _answer(
    opened: Opened, tasks: Sequence[JudgedTask], judged: Sequence[tuple[Path, dict[str, Record]]]
) -> CommandResult:
    documents: list[dict[str, Any]] = []
    shown: list[RenderableType] = []
    for answer, by_task in judged:
        records = {name: own_problem.for_its_author(record) for name, record in by_task.items()}
        chosen = [task for task in tasks if task.id in records or not answer.is_file()]
        scores = records_table.scores(opened.problem, chosen, records)
        documents.append(
            records_table.document(opened.problem, chosen, answer.resolve(), records, scores)
        )
        if len(judged) > 1:
            shown.append(Rule(str(answer), align="left"))
        shown.append(records_table.table(chosen, documents[-1]["tasks"], records))
        shown += records_table.profiles(records) if opened.nsight else []
        shown += [Text(str(fault)) for fault in own_problem.faults(records, opened.source)]
    failed = any(records_table.failed(records) for _, records in judged)
    document = documents[0] if len(documents) == 1 else {"submissions": documents}
    return CommandResult(document, *shown, exit_code=int(failed))
