"""Finds the reference's speed on the current device in the module's recorded runs."""

from collections.abc import Mapping
from typing import Any

from hotloop.core.record import CheckRecord, Record
from hotloop.tasks import curriculum

REFERENCE = "reference"


def with_reference(record: Record, check: CheckRecord) -> Mapping[str, Any]:
    """Return the check's evidence with `reference_ratio`, None if no run of this device has it.

    Results of other devices or thread counts are not comparable and are ignored.
    """
    if "ratio" not in check.evidence:
        return check.evidence
    return {**check.evidence, "reference_ratio": reference_ratio(record, check)}


def reference_ratio(record: Record, check: CheckRecord) -> float | None:
    """Return the recorded speedup of the reference over the baseline, or None."""
    wanted = (REFERENCE, record.task, check.check, check.evidence.get("threads"))
    for run in _runs(record.module):
        if run.device != record.circumstances.device:
            continue
        for one in run.measurements:
            if one.ratio and (one.candidate, one.task, one.check, one.threads) == wanted:
                return one.ratio.estimate
    return None


def _runs(module: str) -> list[curriculum.RecordedRun]:
    """Return the module's runs; none if the module is unknown, since the record is shown anyway."""
    try:
        return curriculum.runs(module)
    except (LookupError, OSError, ValueError):
        return []
