"""Has a submission judged by the executors of `hotloop course grade`: they take it as plain data,
which any process on any node can execute without the team's folder.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.grader import grader_digest, machine
from hotloop.course.execution import Say, Terms
from hotloop.course.executors import Lost, Work
from hotloop.course.executors.local import Local
from hotloop.course.hand_in import HandIn
from hotloop.curriculum import load_module
from hotloop.judge.client import JudgeProcess, lost
from hotloop.judge.files import lay_out
from hotloop.judge.job import Job
from hotloop.judged_again import settled
from hotloop.local_judging import judge_folder
from hotloop.sandbox.level import level
from hotloop.sandbox.scratch import scratch
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.task_spec import task_spec
from hotloop.variants import Variant

BUDGET_S = 180.0
"""Seconds that judging one task may take."""


class GraderLost(Exception):
    """The process that had a task judged ended before it was done."""


def work(key: str, submission: Submission, team: Team, tasks: Iterable[str]) -> Work:
    """The piece of work that judging those of `tasks` is which are code."""
    found = submission.manifest
    hand_in = replace(
        submission.work,
        tasks=tuple(code_tasks(found.module, tasks)),
        variant=team.variant(found.pack).to_json(),
    )
    return Work(key, hand_in, judge_candidate)


def judged(
    submission: Submission,
    team: Team,
    tasks: Iterable[str],
    *,
    jobs: int = 1,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> dict[str, Record]:
    """The judge's records by task, in the module's order.

    jobs: tasks at once, each in a process of its own. What measures speed has the machine to
    itself even then. A task whose process is lost is the judge's error: its points stay open.
    """
    module = submission.manifest.module
    asked = code_tasks(module, tasks)
    works = [work(task, submission, team, [task]) for task in asked]
    executor = Local(max(1, min(jobs, len(asked))))

    def tell(task: str, _task: str, text: str) -> None:
        on_progress(f"{task}: {text}")

    records: dict[str, Record] = {}
    with closing(executor.run(works, Terms(), tell)) as outcomes:
        for task, outcome in outcomes:
            records[task] = (
                lost(_job(module, task), GraderLost(outcome.reason))
                if isinstance(outcome, Lost)
                else outcome.records[task]
            )
    return {task: records[task] for task in asked}


def _job(module: str, task: str) -> Job:
    return Job(module, task, task_spec(load_module(module), task), isolation=level()[0])


def judge_candidate(hand_in: HandIn, terms: Terms, say: Say) -> Attempt:
    """Have the judge judge it, in this process's judge. Of the terms, what is judged and where."""
    started = time.monotonic()
    records = judge(hand_in, lambda text: say("", text), terms)
    isolation = next((record.circumstances.isolation for record in records.values()), None)
    return Attempt(
        student=hand_in.student,
        module=hand_in.module,
        digest=hand_in.digest,
        grader=grader_digest(hand_in.module),
        machine=machine(isolation),
        graded=now(),
        seconds=round(time.monotonic() - started, 3),
        records=records,
    )


def judge(
    hand_in: HandIn, on_progress: Callable[[str], None], terms: Terms | None = None
) -> dict[str, Record]:
    """The judge's records by task, in the sandbox, with inputs from a seed drawn for each task.

    What stays undecided is judged once more, by itself and with the whole time. So a work that is
    slow before it is measured makes no open points of lost ones. The files lie where the next
    judging removes them if this one is killed.
    """
    terms = terms or Terms()
    variant = None if hand_in.variant is None else Variant.from_json(hand_in.variant)
    with scratch() as folder:
        lay_out(hand_in.files, folder)

        def judged(task: str, rungs: Sequence[str] | None) -> Record:
            records = judge_folder(
                folder,
                hand_in.module,
                [task],
                rungs,
                device=terms.device,
                variant=variant,
                given=hand_in.digests,
                judge=_judge,
                on_progress=on_progress,
                budget_s=BUDGET_S,
            )
            return records[task]

        def decided(task: str) -> Record:
            record = judged(task, terms.rungs.get(task))
            return settled(record, lambda left: judged(task, left))

        return {task: decided(task) for task in terms.rungs or hand_in.tasks}


def code_tasks(module: str, tasks: Iterable[str]) -> list[str]:
    """Those that the judge has a say in, in the module's order."""
    wanted = set(tasks)
    return [t.id for t in load_module(module).tasks if t.id in wanted and t.kind == "code"]


_judge = JudgeProcess()
"""This process's own: it is started by the first submission, and serves the later ones too."""
