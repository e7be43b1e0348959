"""Judges a task again, in this process, up to the first check that fails, and keeps its input.

Only the holder of the session sees the input. It is newly drawn, or, with the seed of a check that
the learner ran on this machine, it is that check's input. Neither contains an input of a grading.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from hotloop.core.verdict import Partly, Ruling
from hotloop.judge.blame import is_ours, unreadable_answer
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.job import Job
from hotloop.judge.lacking import lacking
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.questions import Question
from hotloop.judge.race import Race
from hotloop.judge.rung import Rung, attribute, is_timed
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.correct import Case, Program
from hotloop.judge.rungs.cuda_operator import ForFunction
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.service import session_of, variant_of
from hotloop.judge.session import Session
from hotloop.judge.task import find


@dataclass(frozen=True)
class Callee:
    """The function that was called, like `Candidate`, with the name that this learner was given."""

    name: str
    file: str | None
    style: str
    framework: str


@dataclass(frozen=True)
class Failure:
    """The first check that failed.

    about: the case or question; None if the check names none. expected: float64, of the output's
    shape; None if it is not a function of the inputs. launch: how the CUDA kernel was launched.
    races: programs of a Triton launch race.
    """

    rung: str
    sentence: str
    callee: Callee
    about: Case | Question | None = None
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
        closing(session_of(job, task, launcher, on_progress=on_progress)) as session,
    ):
        for name, rung in task.rungs.items():
            if name in missing or is_timed(rung) or job.spec.rungs[name].gpu:
                continue
            on_progress(f"running the check {name}")
            if failure := _failure(name, rung, session.for_rung(name)):
                return failure
    return None


def _failure(name: str, rung: Rung, session: Session) -> Failure | None:
    try:
        rung(session)
    except Partly:
        return None
    except Ruling as ruling:
        return None if ruling.verdict.pending else _ruled(name, rung, session, ruling)
    except Exception as error:
        if is_ours(error):
            raise
        sentence = unreadable_answer(name, error, session.last_answer()).sentence
        return Failure(name, sentence, _callee(rung, session))
    return None


def _ruled(name: str, rung: Rung, session: Session, ruling: Ruling) -> Failure:
    callee, about = _callee(rung, session), ruling.about
    if isinstance(about, Question):
        return Failure(name, ruling.sentence, callee, about)
    if not isinstance(about, Case):
        return Failure(name, ruling.sentence, callee)
    reference: Callable[..., Floats] | Program | None = _part(rung, "reference")
    expected = about.truth(reference) if callable(reference) else None
    launch, races = _part(rung, "launch"), isinstance(ruling, Race)
    return Failure(name, ruling.sentence, callee, about, expected, launch, races)


def _callee(rung: Rung, session: Session) -> Callee:
    if isinstance(rung, ForFunction):
        return _callee(rung.rung, session.of(rung.name, rung.style))
    if isinstance(rung, Answers | HiddenAnswers) and rung.entry:
        session = session.of(rung.entry)
    asked = session.candidate
    return Callee(session.name, asked.file, asked.style, asked.framework)


def _part(rung: object, name: str) -> Any:
    """Return an attribute of a rung or of a rung inside it; None if there is none."""
    if rung is None:
        return None
    found = attribute(rung, name, None)  # pyright: ignore[reportArgumentType]
    if found is not None:
        return found
    inner = (getattr(rung, part, None) for part in ("calls", "correct", "rung", "on"))
    return next((f for f in (_part(part, name) for part in inner) if f is not None), None)
