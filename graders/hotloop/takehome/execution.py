"""Judges a submission as `hotloop course grade` does: with its executors and its run."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from itertools import chain

from hotloop.core.record import Record
from hotloop.course.executors import ExecutorWork, Lost
from hotloop.course.executors.local import Local
from hotloop.course.notebook_run import Terms
from hotloop.judge.client import lost
from hotloop.judge.job import Job
from hotloop.sandbox.level import level
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.task_spec import task_spec

_TERMS = Terms()


class GraderLost(Exception):
    """The process that judged a task ended early."""


def work(key: str, submission: Submission, team: Team, tasks: Iterable[str]) -> ExecutorWork:
    """Return the work item for judging the code tasks among `tasks`.

    It is plain data, which a process on any node can judge without the team's folder.
    """
    manifest = submission.manifest
    hand_in = replace(
        submission.work,
        tasks=tuple(code_tasks(manifest.module, tasks)),
        variant=team.variant(manifest.pack).to_json(),
    )
    return ExecutorWork(key, hand_in)


def judged(
    submission: Submission,
    team: Team,
    tasks: Iterable[str],
    *,
    jobs: int = 1,
    terms: Terms = _TERMS,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> dict[str, Record]:
    """Judge a submission; return records by task, in the module's order.

    jobs: tasks to judge at once, each in its own process; speed measurements still get the machine
    to themselves. If a task's process is lost, that is a judge error: its points stay open.
    """
    module = submission.manifest.module
    judged_tasks = code_tasks(module, tasks)
    variant = team.variant(submission.manifest.pack).to_json()
    works = [work(task, submission, team, [task]) for task in judged_tasks]
    executor = Local(max(1, min(jobs, len(judged_tasks))))

    def tell(task: str, _task: str, text: str) -> None:
        on_progress(f"{task}: {text}")

    records: dict[str, Record] = {}
    with closing(executor.run(works, terms, tell)) as outcomes:
        for task, outcome in chain.from_iterable(outcomes):
            if isinstance(outcome, Lost):
                spec = task_spec(load_module(module), task)
                job = Job(module, task, spec, isolation=level()[0], variant=variant)
                records[task] = lost(job, GraderLost(outcome.reason))
            else:
                records[task] = outcome.records[task]
    return {task: records[task] for task in judged_tasks}


def code_tasks(module: str, tasks: Iterable[str]) -> list[str]:
    """Return the code tasks among `tasks`, in the module's order."""
    wanted = set(tasks)
    return [t.id for t in load_module(module).tasks if t.id in wanted and t.kind == "code"]
