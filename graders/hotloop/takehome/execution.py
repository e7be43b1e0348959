"""A take-home's submission as the executors of `hotloop course grade` take it: plain data, which
any process on any node can execute without the team's folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.grader import grader_digest, machine
from hotloop.course.execution import Say, Terms
from hotloop.course.executors import Lost, Work
from hotloop.course.executors.local import Local
from hotloop.course.hand_in import HandIn
from hotloop.curriculum import load_module
from hotloop.judge.client import JudgeProcess, lost
from hotloop.judge.job import Job
from hotloop.sandbox.level import level
from hotloop.takehome import judging
from hotloop.takehome import submission as takehome
from hotloop.takehome.team import Team
from hotloop.variants import Variant


@dataclass(frozen=True)
class Candidate(HandIn):
    """What is executed. variant: `Variant.to_json()` of the team's own draw. given: as in `Job`."""

    variant: Mapping[str, Any] = field(default_factory=dict[str, Any])
    given: Mapping[str, str] = field(default_factory=dict[str, str])


class GraderLost(Exception):
    """The process that had a task judged ended before it was done."""


def work(key: str, submission: takehome.Submission, team: Team, tasks: Iterable[str]) -> Work:
    """The piece of work that judging those of `tasks` is which are code."""
    found = submission.manifest
    candidate = Candidate(
        student=found.pseudonym,
        module=found.module,
        files=dict(submission.files),
        tasks=tuple(judging.code_tasks(found.module, tasks)),
        variant=team.variant(found.pack).to_json(),
        given=found.files,
    )
    return Work(key, candidate, judge_candidate)


def judged(
    submission: takehome.Submission,
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
    asked = judging.code_tasks(module, tasks)
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
    return Job(module, task, load_module(module).spec(task), isolation=level()[0])


def judge_candidate(hand_in: HandIn, _terms: Terms, say: Say) -> Attempt:
    """Have the judge judge it, in this process's judge."""
    assert isinstance(hand_in, Candidate)
    started = time.monotonic()
    records = judging.judge(
        hand_in.files,
        hand_in.module,
        hand_in.tasks,
        Variant.from_json(hand_in.variant),
        hand_in.given,
        on_progress=lambda text: say("", text),
        process=_judge,
    )
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


_judge = JudgeProcess()
"""This process's own: it is started by the first submission, and serves the later ones too."""
