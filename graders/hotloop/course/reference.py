"""How fast the reference was on the device at hand, from the module's recorded runs."""

from collections.abc import Mapping
from typing import Any

from hotloop import curriculum
from hotloop.core.record import Record, RungRecord

REFERENCE = "reference"


def with_reference(record: Record, rung: RungRecord) -> Mapping[str, Any]:
    """The rung's evidence with `reference_ratio`, where a run of this device knows it.

    A figure of another device, or of another number of threads, is not comparable and left out.
    """
    if "ratio" not in rung.evidence:
        return rung.evidence
    return {**rung.evidence, "reference_ratio": reference_ratio(record, rung)}


def reference_ratio(record: Record, rung: RungRecord) -> float | None:
    """The recorded speed-up of the reference over the baseline, or None."""
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
    """None where the module is not known here: the record is shown all the same."""
    try:
        return curriculum.runs(module)
    except (LookupError, OSError, ValueError):
        return []
