"""Records of tasks that never reached the judge, and corrections after a kernel's death."""

from dataclasses import replace
from datetime import UTC, datetime

from hotloop import __version__
from hotloop.core.record import CheckRecord, Circumstances, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.course.kernel import Death
from hotloop.tasks.curriculum import Module, Task


def ruling(
    module: Module,
    task: Task,
    verdict: Verdict,
    sentence: str,
    digest: str,
    isolation: str,
    variant: str,
) -> Record:
    """Return a record with one verdict for all checks of a task, without points.

    digest: of the submission. variant: as in `Circumstances`.
    """
    checks = tuple(CheckRecord(check.id, verdict, sentence) for check in task.checks)
    circumstances = Circumstances(
        submission_digest=digest,
        grader_version=__version__,
        grader_digest="",
        device="",
        driver="",
        libraries={},
        seed="",
        isolation=isolation,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
        variant=variant,
    )
    return Record(module.id, task.id, verdict, sentence, checks, circumstances)


def with_death(record: Record, death: Death | None) -> Record:
    """Replace runtime errors by the cause of the kernel's death, which the judge cannot see."""
    if death is None or death.verdict is Verdict.RUNTIME_ERROR:
        return record
    checks = tuple(
        replace(check, verdict=death.verdict, sentence=death.sentence)
        if check.verdict is Verdict.RUNTIME_ERROR
        else check
        for check in record.checks
    )
    verdict, sentence = summarize(checks)
    return replace(record, checks=checks, verdict=verdict, sentence=sentence)
