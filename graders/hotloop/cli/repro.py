"""`hotloop check --repro`: a program that calls the learner's code with a failed check's input."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.judging import judging_line
from hotloop.cli.work import Work
from hotloop.core.record import NOT_ATTEMPTED
from hotloop.core.user_error import UserError
from hotloop.learn.practice import verdicts
from hotloop.tasks.notebook_cells import NOTEBOOK

if TYPE_CHECKING:
    from hotloop.learn.pack.manifest import PackFolder

SAME = "The input is that of your last check on this machine."
FRESH = (
    "The input is newly drawn, in the way in which the check draws its own. The inputs of what is "
    "graded stay secret."
)


def reproduce(submission: Work, task: str) -> CommandResult:
    """Write the program for the first check of the task that fails."""
    from hotloop.judge.job import Job  # the judge, which not every machine has
    from hotloop.learn.repro import script
    from hotloop.learn.repro.failure import first_failure
    from hotloop.tasks.local_judging import require_confinement
    from hotloop.tasks.task_spec import task_spec

    module, work, variant = submission.module, submission.folder, submission.variant()
    key = f"{module.id}.{task}"
    job = Job(
        module.id,
        task,
        task_spec(module, task),
        files=str(work),
        notebook=NOTEBOOK,
        isolation=require_confinement(),
        device="cpu",
        variant=None if variant is None else variant.to_json(),
        given=submission.given,
    )
    for seed in dict.fromkeys([_seed(key, submission.pack), ""]):
        with judging_line() as say:
            failure = first_failure(replace(job, seed=seed), say)
        if failure is None:
            continue
        if failure.sentence.startswith(NOT_ATTEMPTED):
            raise UserError(f"{key} is not started: there is nothing to reproduce.")
        origin = SAME if seed else FRESH
        try:
            written = script.write(failure, module.id, task, origin, work)
        except ValueError as reason:
            raise UserError(
                f"The check `{failure.check}` has no input that could be reproduced: {reason}. It "
                f"said: {failure.sentence}"
            ) from None
        return _answer(failure.check, failure.sentence, written, origin)
    return CommandResult(
        {"reproduced": False, "files": []},
        Text(
            f"Nothing to reproduce: on new inputs {key} passes all checks that need neither a "
            f"clock nor a GPU. `hotloop check {key}` judges the others."
        ),
    )


def _answer(check: str, sentence: str, written: list[Path], origin: str) -> CommandResult:
    document = {
        "reproduced": True,
        "check": check,
        "sentence": sentence,
        "input": origin,
        "files": [str(path) for path in written],
    }
    return CommandResult(
        document,
        Text(f"The check `{check}` fails: {sentence}"),
        Text(f"{origin}"),
        Text(f"Run: python {os.path.relpath(written[0])}", no_wrap=True),
    )


def _seed(key: str, pack: PackFolder | None) -> str:
    """Return the seed of the task's last check; "" in a take-home, or if no seed was recorded."""
    last = verdicts.latest(verdicts.read().lines).get(key)
    return "" if last is None or pack is not None else last.seed
