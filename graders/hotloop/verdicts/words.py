"""Wording of verdicts for people, on every page and in the terminal."""

from collections.abc import Sequence

from hotloop.core import extras
from hotloop.core.record import NOT_ATTEMPTED, NOT_REACHED, CheckRecord, Record
from hotloop.core.verdict import Verdict

NOT_STARTED = "not started"

INSTRUMENTED = " (instrumented)"
"""Behind a verdict that was measured in a process with code of the learner."""

PRACTICE = " (practice)"
"""Behind a verdict that was judged without the sandbox, so it is never counted."""

COUNTED = "fewest_bytes"
"""Key in the evidence of a check that counts bytes."""


def of_task(record: Record) -> str:
    """Return a task's verdict in words.

    A task that was not attempted is "not started", not wrong; pending checks alone do not make a
    task partial. Points that rest on what the learner's own process said are called instrumented,
    and a verdict for practice is called so.
    """
    verdict = f"{_of_task(record)}{instrumented(record)}"
    practice = record.circumstances.practice and verdict != NOT_STARTED
    return f"{verdict}{PRACTICE}" if practice else verdict


def instrumented(record: Record) -> str:
    """Return INSTRUMENTED if points rest on what a process with the learner's code said, or ""."""
    credited = any(check.instrumented and check.earned > 0 for check in record.checks)
    return INSTRUMENTED if credited else ""


def _of_task(record: Record) -> str:
    if record.sentence.startswith(NOT_ATTEMPTED):
        return NOT_STARTED
    failed = any(r.verdict is not Verdict.PASSED and not r.verdict.pending for r in record.checks)
    if record.verdict is Verdict.PARTIAL and not failed:
        return f"passed{' here' if passed_here(record) else ''}, {_pending(record)} pending"
    first = next((r for r in record.checks if r.verdict is record.verdict), None)
    return words(record.verdict) if first is None else _of(first)


def passed_here(record: Record) -> bool:
    """Return whether all passed that this machine can measure, and something of it did."""
    pending = [check.verdict for check in record.checks if check.verdict.pending]
    passed = [check for check in record.checks if check.verdict is Verdict.PASSED]
    return (
        bool(passed)
        and len(passed) + len(pending) == len(record.checks)
        and all(verdict is Verdict.NOT_MEASURED for verdict in pending)
    )


def _pending(record: Record) -> str:
    """Return what is pending: GPU if all of it is a GPU's, as those checks' names say."""
    names = [check.check for check in record.checks if check.verdict.pending]
    if all("gpu" in name.split("_") for name in names):
        return "GPU"
    return names[0] if len(names) == 1 else "rest"


def of_check(check: CheckRecord, record: Record) -> tuple[str, str]:
    """Return a check's verdict in words, and its sentence unless it repeats the task's."""
    sentence = (
        "" if check.sentence == record.sentence and len(record.checks) > 1 else check.sentence
    )
    if check.sentence.startswith(NOT_ATTEMPTED):
        return NOT_STARTED, sentence
    if check.sentence.startswith(NOT_REACHED):
        return "skipped", sentence
    return f"{_of(check)}{INSTRUMENTED}" if check.instrumented else _of(check), sentence


def _of(check: CheckRecord) -> str:
    """Bytes that were counted took no time: too many of them are not too slow."""
    counted = check.verdict is Verdict.TOO_SLOW and COUNTED in check.evidence
    return "moves too many bytes" if counted else words(check.verdict)


def is_failure(verdict: Verdict) -> bool:
    """Return whether a command that judged says so by its exit code.

    The judge's own failure is one, too: what calls the command must not take it for a pass.
    """
    return verdict is Verdict.JUDGE_ERROR or not (verdict is Verdict.PASSED or verdict.pending)


def words(verdict: Verdict) -> str:
    """Return the verdict in words, such as `not measured (pending)`."""
    said = verdict.value.replace("_", " ")
    return f"{said} (pending)" if verdict.pending else said


def how_to_start(record: Record, files: Sequence[str]) -> str:
    """Return where to write a task that was not started; empty for any other task.

    files: the task's own files beside the notebook; none if the task is written in a cell.
    """
    if of_task(record) != NOT_STARTED:
        return ""
    if files:
        names = " and ".join(f"`{name}`" for name in files)
        return f"Write it in {names}, save, and run this cell again."
    key = f"{record.module}.{record.task}"
    return f"Write it in the cell that begins with `### TASK {key}`, run that, then this cell."


def how_to_reproduce(record: Record) -> str:
    """Return the command that writes a failed check as a program; empty if there is none."""
    found = any(check.evidence.get("reproducible") for check in record.checks)
    if not found or of_task(record) == NOT_STARTED or extras.why_no_judge():
        return ""
    key = f"{record.module}.{record.task}"
    return f"To run the failing call yourself: `hotloop check {key} --repro`"
