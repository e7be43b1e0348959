"""`hotloop repro`: write a program that calls the learner's code with a failed check's input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Answer, UserError, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.work import work_folder
from hotloop.core.record import NOT_ATTEMPTED
from hotloop.curriculum import Module, Task
from hotloop.notebook_cells import NOTEBOOK
from hotloop.practice import verdicts
from hotloop.takehome import manifest
from hotloop.takehome.manifest import PackFolder
from hotloop.variants import beside

if TYPE_CHECKING:
    from hotloop.repro.failure import Failure

SAME = "The input is that of your last check on this machine."
FRESH = (
    "The input is newly drawn, in the way in which the check draws its own. The inputs of what is "
    "graded stay secret."
)


def run(
    what: Annotated[str, typer.Argument(metavar="MODULE.TASK", help="The task whose check fails.")],
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
) -> Answer:
    """Write a program that reproduces a failed check.

    It calls your code with the input and prints what was expected and what it got.
    """
    module, tasks = find.tasks(what)
    if len(tasks) != 1 or tasks[0].kind != "code":
        raise UserError(f"Name one task with code, such as {module.id}.{_code(module)}.")
    require_sandbox()
    [task] = tasks
    work = work_folder(folder, module.id)
    pack = manifest.find(work)
    from hotloop.repro import script  # with the judge, which not every machine has

    for seed in dict.fromkeys([_seed(what, pack), ""]):
        failure = _failure(module, task, work, pack, seed)
        if failure is None:
            continue
        if failure.sentence.startswith(NOT_ATTEMPTED):
            raise UserError(f"{what} is not started: there is nothing to reproduce.")
        origin = SAME if seed else FRESH
        try:
            written = script.write(failure, module.id, task.id, origin, work)
        except ValueError as reason:
            raise UserError(
                f"The check `{failure.rung}` has no input that could be reproduced: {reason}. It "
                f"said: {failure.sentence}"
            ) from None
        return _answer(failure.rung, failure.sentence, written, origin)
    return Answer(
        {"reproduced": False, "files": []},
        Text(
            f"Nothing to reproduce: on new inputs {what} passes all checks that need neither a "
            f"clock nor a GPU. `hotloop check {what}` judges the others."
        ),
    )


def _answer(rung: str, sentence: str, written: list[Path], origin: str) -> Answer:
    document = {
        "reproduced": True,
        "check": rung,
        "sentence": sentence,
        "input": origin,
        "files": [str(path) for path in written],
    }
    return Answer(
        document,
        Text(f"The check `{rung}` fails: {sentence}"),
        Text(f"{origin}"),
        Text(f"Run: python {os.path.relpath(written[0])}", no_wrap=True),
    )


def _code(module: Module) -> str:
    return next(task.id for task in module.tasks if task.kind == "code")


def _seed(key: str, pack: PackFolder | None) -> str:
    """Return the seed of the task's last check; "" in a take-home, or if no seed was recorded."""
    last = verdicts.latest(verdicts.read().lines).get(key)
    return "" if last is None or pack is not None else last.seed


def _failure(
    module: Module, task: Task, work: Path, pack: PackFolder | None, seed: str
) -> Failure | None:
    from hotloop.judge.job import Job
    from hotloop.local_judging import require_confinement
    from hotloop.repro.failure import first_failure
    from hotloop.task_spec import task_spec

    variant = beside(work, module.id) if pack is None else pack.variant()
    job = Job(
        module.id,
        task.id,
        task_spec(module, task.id),
        files=str(work),
        notebook=NOTEBOOK,
        isolation=require_confinement(),
        device="cpu",
        variant=variant.to_json(),
        given={} if pack is None else pack.manifest.files,
        seed=seed,
    )
    with judging_line() as say:
        return first_failure(job, say)
