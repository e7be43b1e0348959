"""The checks of an attempt that need a GPU: which are open, and how to merge their results.

All other checks can be judged on any machine, so only these need one with a GPU.
"""

from dataclasses import replace

from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.tasks import judged_again
from hotloop.tasks.judged_again import needing_gpu, settled_on_gpu


def open_on_gpu(attempt: Attempt) -> dict[str, list[str]]:
    """Return the checks that a machine with a GPU may settle, by task."""
    open_checks = judged_again.open_on_gpu(attempt.records.values())
    return {record.task: checks for record, checks in open_checks}


def verdicts_without_gpu(attempt: Attempt) -> frozenset[Verdict]:
    """Return the verdicts of the checks that need no GPU."""
    return frozenset(
        check.verdict
        for record in attempt.records.values()
        for check in record.checks
        if check.check not in needing_gpu(record.module, record.task)
    )


def with_gpu_checks(attempt: Attempt, measured: Attempt) -> Attempt:
    """Return the attempt with open checks replaced by the results of a machine with a GPU.

    Its id is None: it is a new attempt at the same hand-in.
    """
    records = dict(attempt.records)
    for task in open_on_gpu(attempt):
        records[task] = settled_on_gpu(attempt.records[task], measured.records[task])
    return replace(
        attempt,
        records=records,
        grader=measured.grader,
        machine=measured.machine,
        graded=measured.graded,
        seconds=round(attempt.seconds + measured.seconds, 3),
        id=None,
    )
