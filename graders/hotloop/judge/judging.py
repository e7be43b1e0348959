"""From a job to its record, wherever the candidate runs: the session says that."""

import logging
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from hotloop import __version__
from hotloop.core.record import OUR_FAILURE, CheckRecord, Circumstances, Record, summarize
from hotloop.core.variant import Variant
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_checks
from hotloop.judge.constants import constants
from hotloop.judge.declared_shapes import declared
from hotloop.judge.device import device_name, driver_version
from hotloop.judge.grader_digest import grader_digest
from hotloop.judge.job import Job
from hotloop.judge.not_attempted import without_blame, without_open
from hotloop.judge.session import Session
from hotloop.judge.spec import TaskSpec
from hotloop.judge.task import TaskChecks, find

log = logging.getLogger("hotloop.judge")


def record_of(
    job: Job,
    open_session: Callable[[TaskChecks], Session],
    lacking: Callable[[TaskSpec], Mapping[str, str]],
    *,
    practice: bool = False,
) -> Record:
    """Judge one task. Never raises: failures here become JUDGE_ERROR.

    open_session: returns the session for the task; it is closed here.
    lacking: returns what `judge_checks` is told is lacking. practice: as of `Circumstances`.
    """
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    session: Session | None = None
    variant: Variant | None = None
    try:
        variant = variant_of(job)
        task = find(job.module, job.task, Path(job.source) if job.source else None)
        only = frozenset(job.checks) if job.checks is not None else None
        session = open_session(task)
        with (
            constants(variant.constants if variant is not None else {}),
            declared(job.spec.cases),
        ):
            judged = judge_checks(task.checks, session, only, lacking(job.spec))
        blamed = without_blame(judged, job.module, session.files, job.given)
        edited = [name for name in job.spec.files if not name.endswith(".ipynb")]
        checks = without_open(blamed, job.module, edited, session.files, job.given)
    except Exception as error:
        log.exception("judging %s.%s failed", job.module, job.task)
        checks = (_fault(error),)
    finally:
        if session is not None:
            session.close()
    verdict, sentence = summarize(checks)
    seconds = round(time.monotonic() - clock, 3)
    circumstances = _circumstances(job, session, started, seconds, variant, practice=practice)
    return Record(job.module, job.task, verdict, sentence, checks, circumstances)


def variant_of(job: Job) -> Variant | None:
    """Return the candidate's variant, or None. Raises ValueError if it is of another module."""
    if job.variant is None:
        return None
    variant = Variant.from_json(job.variant)
    if variant.module != job.module:
        raise ValueError(f"the variant is one of {variant.module}, not of {job.module}")
    return variant


def _fault(error: Exception) -> CheckRecord:
    return CheckRecord(
        "judge",
        Verdict.JUDGE_ERROR,
        OUR_FAILURE,
        evidence={"error": f"{type(error).__name__}: {error}"[:500]},
    )


def _circumstances(
    job: Job,
    session: Session | None,
    started: str,
    seconds: float,
    variant: Variant | None,
    *,
    practice: bool,
) -> Circumstances:
    import numpy

    libraries = {"python": platform.python_version(), "numpy": numpy.__version__}
    return Circumstances(
        submission_digest=job.submission_digest,
        grader_version=__version__,
        # What a page holds of the grader's code is a part of it, and nobody asks.
        grader_digest="" if practice else grader_digest(job.module, job.source),
        device=device_name(),
        driver=driver_version(),
        libraries={**libraries, **(session.libraries() if session is not None else {})},
        seed=session.seeds.root.hex() if session is not None else "",
        isolation=job.isolation,
        started=started,
        seconds=seconds,
        variant="" if variant is None else variant.digest,
        seeded=bool(job.seed),
        practice=practice,
    )
