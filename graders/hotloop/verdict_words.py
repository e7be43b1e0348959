"""How a record's verdicts are said to a person, on every page and in the terminal."""

from collections.abc import Sequence

from hotloop import extras
from hotloop.core.record import NOT_ATTEMPTED, NOT_REACHED, Record, RungRecord
from hotloop.core.verdict import Verdict

NOT_STARTED = "not started"

COUNTED = "fewest_bytes"
"""Key in the evidence of a rung that counts bytes."""


def of_task(record: Record) -> str:
    """What nobody has begun is not wrong, and what is open does not make a task partial."""
    if record.sentence.startswith(NOT_ATTEMPTED):
        return NOT_STARTED
    failed = any(r.verdict is not Verdict.PASSED and not r.verdict.pending for r in record.rungs)
    if record.verdict is Verdict.PARTIAL and not failed:
        return "passed, rest pending"
    first = next((r for r in record.rungs if r.verdict is record.verdict), None)
    return words(record.verdict) if first is None else _of(first)


def of_rung(rung: RungRecord, record: Record) -> tuple[str, str]:
    """Verdict and sentence; what the task's own line says is not said again."""
    sentence = "" if rung.sentence == record.sentence and len(record.rungs) > 1 else rung.sentence
    if rung.sentence.startswith(NOT_ATTEMPTED):
        return NOT_STARTED, sentence
    if rung.sentence.startswith(NOT_REACHED):
        return "skipped", sentence
    return _of(rung), sentence


def _of(rung: RungRecord) -> str:
    """Bytes that were counted took no time: too many of them are not too slow."""
    counted = rung.verdict is Verdict.TOO_SLOW and COUNTED in rung.evidence
    return "moves too many bytes" if counted else words(rung.verdict)


def words(verdict: Verdict) -> str:
    """`not measured (pending)`: what is pending says so."""
    said = verdict.value.replace("_", " ")
    return f"{said} (pending)" if verdict.pending else said


def how_to_start(record: Record, files: Sequence[str]) -> str:
    """Where in JupyterLab a task that nobody has begun is written; empty for one that was begun.

    files: the task's own, beside the notebook; none where a cell is its place.
    """
    if of_task(record) != NOT_STARTED:
        return ""
    if files:
        names = " and ".join(f"`{name}`" for name in files)
        return f"Write it in {names}, save, and run this cell again."
    key = f"{record.module}.{record.task}"
    return f"Write it in the cell that begins with `### TASK {key}`, run that, then this cell."


def how_to_reproduce(record: Record) -> str:
    """The call that writes a failed check as a program; empty where there is nothing to write."""
    found = any(rung.evidence.get("reproducible") for rung in record.rungs)
    if not found or of_task(record) == NOT_STARTED or extras.why_no_judge():
        return ""
    return f"To run the failing call yourself: `hotloop repro {record.module}.{record.task}`"
