"""Judges a task once more, in this process, up to the first check that fails, and keeps its input.

Only who holds the session learns the input. It is either newly drawn or, with the seed of a check
that the learner has run on this machine, the one of that check: the inputs of whatever is graded
are in neither.
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
from hotloop.judge.rung import Rung, attribute, is_timed
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.correct import Case
from hotloop.judge.rungs.cuda_operator import Called
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.service import session_of, variant_of
from hotloop.judge.session import Session
from hotloop.judge.task import find


@dataclass(frozen=True)
class Callee:
    """What was called: as in `Candidate`, under the name that this learner was given."""

    name: str
    file: str | None
    style: str
    framework: str


@dataclass(frozen=True)
class Failure:
    """The first check that failed.

    about: the case or question, None where the check names none. expected: float64, of the
    output's shape; None where the truth is not a function of the inputs. launch: of a CUDA kernel.
    """

    rung: str
    sentence: str
    callee: Callee
    about: Case | Question | None = None
    expected: Floats | None = None
    launch: CudaLaunch | None = None


def first_failure(job: Job, on_progress: Callable[[str], None]) -> Failure | None:
    """None where all checks pass that need neither a clock nor a GPU, or earn a part.

    Raises what the judge cannot blame on the learner.
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
    reference = _part(rung, "reference")
    expected = None if reference is None else about.truth(reference)
    return Failure(name, ruling.sentence, callee, about, expected, _part(rung, "launch"))


def _callee(rung: Rung, session: Session) -> Callee:
    if isinstance(rung, Called):
        return _callee(rung.rung, session.of(rung.name, rung.style))
    if isinstance(rung, AnswersFrom | HiddenAnswers) and rung.entry:
        session = session.of(rung.entry)
    asked = session.candidate
    return Callee(session.name, asked.file, asked.style, asked.framework)


def _part(rung: object, name: str) -> Any:
    """An attribute of a rung, or of what it is made of; None without one."""
    if rung is None:
        return None
    found = attribute(rung, name, None)  # pyright: ignore[reportArgumentType]
    if found is not None:
        return found
    inner = (getattr(rung, part, None) for part in ("calls", "correct", "rung"))
    return next((f for f in (_part(part, name) for part in inner) if f is not None), None)
