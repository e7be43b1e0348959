"""Judges a task again, in this process, up to the first check that fails, and keeps its input.

Only the holder of the session sees the input. It is newly drawn, or, with the seed of a check that
the learner ran on this machine, it is that check's input. Neither contains an input of a grading.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from hotloop.core.verdict import Partly, Ruling
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import session_for
from hotloop.judge.checks.correct import Case, Program
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.declared_shapes import declared
from hotloop.judge.exception_attribution import is_ours, unreadable_answer
from hotloop.judge.job import Job
from hotloop.judge.judging import variant_of
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.not_measurable import lacking
from hotloop.judge.questions import PlainCase
from hotloop.judge.race_ruling import RaceRuling
from hotloop.judge.service import session_of
from hotloop.judge.session import Session
from hotloop.judge.task import find


@dataclass(frozen=True)
class Failure:
    """The first check that failed.

    callee: what was called, under the name that this learner was given. about: the case or
    question; None if the check names none. expected: float64, of the output's shape; None if it is
    not a function of the inputs. launch: how the CUDA kernel was launched. races: programs of a
    Triton launch race.
    """

    check: str
    sentence: str
    callee: Candidate
    about: Case | PlainCase | None = None
    expected: Floats | None = None
    launch: CudaLaunch | None = None
    races: bool = False


def first_failure(job: Job, on_progress: Callable[[str], None]) -> Failure | None:
    """Return the first failure, or None if every check passes or earns a part of its points.

    Checks that need a timer or a GPU are skipped. Raises errors that are not the learner's fault.
    """
    task, variant, missing = find(job.module, job.task), variant_of(job), lacking(job.spec)
    launcher = Launcher(job.isolation, threads=default_threads())
    with (
        constants({} if variant is None else variant.constants),
        declared(job.spec.cases),
        closing(session_of(job, task, launcher, on_progress=on_progress)) as session,
    ):
        for name, check in task.checks.items():
            if name in missing or check.timed or job.spec.checks[name].gpu:
                continue
            on_progress(f"running the check {name}")
            if failure := _failure(name, check, session_for(name, check, session)):
                return failure
    return None


def _failure(name: str, check: Check, session: Session) -> Failure | None:
    try:
        check(session)
    except Partly:
        return None
    except Ruling as ruling:
        return None if ruling.verdict.pending else _ruled(name, check, session, ruling)
    except Exception as error:
        if is_ours(error):
            raise
        sentence = unreadable_answer(name, error, session.last_answer()).sentence
        return Failure(name, sentence, replace(session.candidate, name=session.name))
    return None


def _ruled(name: str, check: Check, session: Session, ruling: Ruling) -> Failure:
    callee, about = replace(session.candidate, name=session.name), ruling.about
    if isinstance(about, PlainCase):
        return Failure(name, ruling.sentence, callee, about)
    if not isinstance(about, Case):
        return Failure(name, ruling.sentence, callee)
    reference: Callable[..., Floats] | Program | None = _part(check, "reference")
    expected = about.truth(reference) if callable(reference) else None
    launch, races = _part(check, "launch"), isinstance(ruling, RaceRuling)
    return Failure(name, ruling.sentence, callee, about, expected, launch, races)


def _part(check: object, name: str) -> Any:
    """Return an attribute of a check or of what it is made of; None if there is none."""
    if check is None:
        return None
    if (value := getattr(check, name, None)) is not None:
        return value
    inner = (getattr(check, part, None) for part in ("calls", "correct", "truth", "on"))
    return next((f for f in (_part(part, name) for part in inner) if f is not None), None)
