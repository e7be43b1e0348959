"""Has a submission judged: the judge's records, before anybody makes a report of them.

It runs a candidate's code, and does without the team's folder: in another process, or on another
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hotloop import curriculum
from hotloop.core.record import Record
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.judged_again import settled
from hotloop.local_judging import judge_folder
from hotloop.sandbox.scratch import scratch
from hotloop.variants import Variant

BUDGET_S = 180.0
"""Seconds that judging one task may take."""


def code_tasks(module: str, tasks: Iterable[str]) -> list[str]:
    """Those that the judge has a say in, in the module's order."""
    wanted = set(tasks)
    found = curriculum.load_module(module).tasks
    return [task.id for task in found if task.id in wanted and task.kind == "code"]


def judge(
    files: Mapping[str, bytes],
    module: str,
    tasks: Sequence[str],
    variant: Variant,
    given: Mapping[str, str],
    *,
    on_progress: Callable[[str], None] = lambda _text: None,
    process: JudgeProcess | None = None,
) -> dict[str, Record]:
    """The judge's records by task, in the sandbox, with inputs from a seed drawn for each task.
    given: as in `Job`.

    What stays undecided is judged once more, by itself and with the whole time. So a work that is
    slow before it is measured makes no open points of lost ones. The files lie where the next
    judging removes them if this one is killed.
    """
    with scratch() as folder:
        lay_out(files, folder)

        def judged(tasks: Sequence[str], rungs: Sequence[str] | None = None) -> dict[str, Record]:
            return judge_folder(
                folder,
                module,
                tasks,
                rungs,
                variant=variant,
                given=given,
                judge=process,
                on_progress=on_progress,
                budget_s=BUDGET_S,
            )

        def decided(record: Record) -> Record:
            return settled(record, lambda left: judged([record.task], left)[record.task])

        return {task: decided(record) for task, record in judged(tasks).items()}
