"""The rungs of an attempt that need a GPU: which are open, and the attempt with them measured.

Everything else can be judged on any machine, so that only these need a machine with a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.notebook_run import shown
from hotloop.curriculum import load_module
from hotloop.judged_again import with_rungs

Rungs = Mapping[str, Sequence[str]]
"""Names of rungs by task."""

OPEN = frozenset({Verdict.NOT_MEASURED, Verdict.UNDECIDED, Verdict.JUDGE_ERROR})


def open_on_gpu(attempt: Attempt) -> dict[str, list[str]]:
    """What a machine with a GPU may settle."""
    needed = _needing_gpu(attempt.module)
    found = {
        task: [r.rung for r in record.rungs if r.verdict in OPEN and r.rung in needed[task]]
        for task, record in attempt.records.items()
        if task in needed
    }
    return {task: rungs for task, rungs in found.items() if rungs}


def verdicts_without_gpu(attempt: Attempt) -> frozenset[Verdict]:
    """Those of the rungs that need none."""
    needed = _needing_gpu(attempt.module)
    return frozenset(
        rung.verdict
        for task, record in attempt.records.items()
        for rung in record.rungs
        if rung.rung not in needed.get(task, ())
    )


def with_gpu_rungs(attempt: Attempt, measured: Attempt) -> Attempt:
    """The attempt with what was open in it as a machine with a GPU has judged it.

    Its number is gone: it is another attempt, at the same hand-in.
    """
    records = dict(attempt.records)
    for task, rungs in open_on_gpu(attempt).items():
        records[task] = with_rungs(attempt.records[task], _only(measured.records[task], rungs))
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


def _needing_gpu(module: str) -> dict[str, frozenset[str]]:
    tasks = load_module(module).tasks
    return {task.id: frozenset(r.id for r in task.rungs if r.needs_gpu) for task in tasks}


def _only(record: Record, rungs: Sequence[str]) -> Record:
    return replace(record, rungs=tuple(rung for rung in record.rungs if rung.rung in rungs))


def _outputs(attempt: Attempt, changed: Mapping[str, Record]) -> list[Sequence[Mapping[str, Any]]]:
    """Below the cell of each task, what the judge says of it now."""
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
