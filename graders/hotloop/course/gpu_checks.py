"""The checks of an attempt that need a GPU: which are open, and how to merge their results.

All other checks can be judged on any machine, so only these need one with a GPU.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.notebook_run import shown
from hotloop.tasks import judged_again
from hotloop.tasks.curriculum import load_module
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
    changed = {task: record for task, record in records.items() if record != attempt.records[task]}
    return replace(
        attempt,
        records=records,
        outputs=_outputs(attempt, changed),
        grader=measured.grader,
        machine=measured.machine,
        graded=measured.graded,
        seconds=round(attempt.seconds + measured.seconds, 3),
        id=None,
    )


def _outputs(attempt: Attempt, changed: Mapping[str, Record]) -> list[Sequence[Mapping[str, Any]]]:
    """Return the outputs with the changed tasks' new verdicts below their cells."""
    outputs = list(attempt.outputs)
    module = load_module(attempt.module)
    notebook: Mapping[str, Any] = attempt.notebook or {"cells": []}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for index, cell in enumerate(cells[: len(outputs)]):
        about = cell["metadata"].get("nbgrader", {})
        record = changed.get(about.get("grade_id", ""))
        if record is not None and about.get("grade") and not about.get("solution"):
            outputs[index] = [shown(record, module)]
    return outputs
