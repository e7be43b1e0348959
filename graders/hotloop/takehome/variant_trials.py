"""What came of a task's reference and wrong answers in many candidates' variants.

tests/benchmarks/variants.py judged them, and wrote down what the package carries.
"""

from __future__ import annotations

from typing import Any, cast

from hotloop.curriculum import Task
from hotloop.measured_code import measured_code
from hotloop.takehome.intervals import rate_interval
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import VariantTrials


def of_task(module: str, task: Task) -> VariantTrials | None:
    """Of a code task that a candidate's choices are about; None for others."""
    measured = recorded("variants")
    if measured is None:
        return None
    rows = cast("list[dict[str, Any]]", measured["rows"])
    row = next((row for row in rows if row["task"] == f"{module}.{task.id}"), None)
    if row is None:
        return None
    passed, references = counts(row["reference_as_in_the_plain_module"])
    failed, judgings = counts(row["wrong_answers_as_in_the_plain_module"])
    return VariantTrials(
        variants=row["variants"],
        references=references,
        references_passed=passed,
        wrong_fail_rate=rate_interval(references - passed, references),
        wrong_judgings=judgings,
        wrong_failed=failed,
        left_out=[rung.id for rung in task.rungs if rung.threshold or rung.needs_gpu],
        device=str(measured["device"]),
        date=str(row["date"]),
        older=row["code"] != measured_code(module),
    )


def counts(share: str) -> tuple[int, int]:
    """Of `48 of 50`; none of what does not apply, which is a dash."""
    right, of, tried = share.partition(" of ")
    return (int(right), int(tried)) if of else (0, 0)
