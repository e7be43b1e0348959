"""A take-home's submission as the executors of `hotloop grade` take it: plain data, which any
process on any node can execute without the team's folder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hotloop.course.attempts.attempt import now
from hotloop.course.attempts.grader import environment
from hotloop.course.attempts.record_files import TIME
from hotloop.course.execution import Executed, Say, Terms
from hotloop.course.executors import Work
from hotloop.course.submission import Submission
from hotloop.judge.client import JudgeProcess
from hotloop.takehome import grading
from hotloop.takehome import submission as takehome
from hotloop.takehome.team import Team
from hotloop.variants import Variant


@dataclass(frozen=True)
class Candidate(Submission):
    """What is executed. variant: `Variant.to_json()` of the team's own draw."""

    variant: Mapping[str, Any] = field(default_factory=dict[str, Any])


def work(key: str, submission: takehome.Submission, team: Team) -> Work:
    """The piece of work that grading a submission is."""
    found = submission.manifest
    candidate = Candidate(
        module=found.module,
        cells=(),
        files=dict(submission.files),
        tasks=tuple(grading.code_tasks(found.module, found.tasks)),
        variant=team.variant(found.pack).to_json(),
    )
    return Work(key, candidate, judge_candidate)


def judge_candidate(submission: Submission, _terms: Terms, say: Say) -> Executed:
    """Have the judge judge it, in this process's judge."""
    assert isinstance(submission, Candidate)
    started = time.monotonic()
    records = grading.judge(
        submission.files,
        submission.module,
        submission.tasks,
        Variant.from_json(submission.variant),
        on_progress=lambda text: say("", text),
        process=_judge,
    )
    isolation = next((record.circumstances.isolation for record in records.values()), None)
    return Executed(
        submission.digest,
        records,
        (),
        (),
        now().strftime(TIME),
        round(time.monotonic() - started, 3),
        environment(isolation),
    )


_judge = JudgeProcess()
"""This process's own: it is started by the first submission, and serves the later ones too."""
