"""Judges a submission with the executors of `hotloop course grade`.

They get it as plain data, which a process on any node can judge without the team's folder.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain

from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.machine import machine
from hotloop.course.execution import Say, Terms
from hotloop.course.executors import Lost, Work
from hotloop.course.executors.local import Local
from hotloop.course.hand_in import HandIn
from hotloop.curriculum import load_module
from hotloop.judge.client import JudgeProcess, lost
from hotloop.judge.files import lay_out
from hotloop.judge.grader_digest import grader_digest
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
"""Time limit for judging one task, in seconds."""


class GraderLost(Exception):
    """The process that judged a task ended early."""


def work(key: str, submission: Submission, team: Team, tasks: Iterable[str]) -> Work:
    """Return the work item for judging the code tasks among `tasks`."""
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
    """Judge a submission; return records by task, in the module's order.

    jobs: tasks to judge at once, each in its own process; speed measurements still get the machine
    to themselves. If a task's process is lost, that is a judge error: its points stay open.
    """
    module = submission.manifest.module
    asked = code_tasks(module, tasks)
    works = [work(task, submission, team, [task]) for task in asked]
    executor = Local(max(1, min(jobs, len(asked))))

    def tell(task: str, _task: str, text: str) -> None:
        on_progress(f"{task}: {text}")

    records: dict[str, Record] = {}
    with closing(executor.run(works, Terms(), tell)) as outcomes:
        for task, outcome in chain.from_iterable(outcomes):
            records[task] = (
                lost(_job(module, task), GraderLost(outcome.reason))
                if isinstance(outcome, Lost)
                else outcome.records[task]
            )
    return {task: records[task] for task in asked}


def _job(module: str, task: str) -> Job:
    return Job(module, task, task_spec(load_module(module), task), isolation=level()[0])


def judge_candidate(hand_in: HandIn, terms: Terms, say: Say) -> Attempt:
    """Judge a hand-in with this process's judge. terms: selects checks and device."""
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
    """Judge a hand-in in the sandbox; return records by task. A new seed is drawn for each task.

    Undecided checks are judged once more, alone and with the full time, so that code that is slow
    before the measurement does not turn lost points into open ones. The files are in a scratch
    folder that the next run removes if this process is killed.
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
    """Return the code tasks among `tasks`, in the module's order."""
    wanted = set(tasks)
    return [t.id for t in load_module(module).tasks if t.id in wanted and t.kind == "code"]


_judge = JudgeProcess()
"""This process's judge: started for the first submission and reused for later ones."""
