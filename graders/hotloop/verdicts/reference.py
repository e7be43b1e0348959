"""Finds the reference's speed on the current device in the module's recorded runs."""

from collections.abc import Mapping
from typing import Any

from hotloop.core.record import Record, RungRecord
from hotloop.tasks import curriculum

REFERENCE = "reference"


def with_reference(record: Record, rung: RungRecord) -> Mapping[str, Any]:
    """Return the check's evidence with `reference_ratio`, None if no run of this device has it.

    Results of other devices or thread counts are not comparable and are ignored.
    """
    if "ratio" not in rung.evidence:
        return rung.evidence
    return {**rung.evidence, "reference_ratio": reference_ratio(record, rung)}


def reference_ratio(record: Record, rung: RungRecord) -> float | None:
    """Return the recorded speedup of the reference over the baseline, or None."""
    for run in _runs(record.module):
        if run.device != record.circumstances.device:
            continue
        for measured in run.measurements:
            if (measured.candidate, measured.task, measured.rung) != (
                REFERENCE,
                record.task,
                rung.rung,
            ):
                continue
            if measured.ratio and measured.threads == rung.evidence.get("threads"):
                return measured.ratio.estimate
    return None


def _runs(module: str) -> list[curriculum.Run]:
    """Return the module's runs; none if the module is unknown, since the record is shown anyway."""
    try:
        return curriculum.runs(module)
    except (LookupError, OSError, ValueError):
        return []
