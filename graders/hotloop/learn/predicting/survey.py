"""Judges a change at several sizes, and notes all that is true of it there.

A judging ends at the first fault, and a change can have several: a data race and an access outside
of an array, or wrong numbers in one shape and a fault in another. Which of them the judge meets
first cannot be derived from the code, so such a change is no question.
"""

import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.verdict import Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.budget import Budget
from hotloop.judge.buffers import Buffer
from hotloop.judge.check import CheckFunction, judge_checks
from hotloop.judge.checks.correct import Case, Correct, Require, Truth
from hotloop.judge.checks.cuda_clean import CudaClean
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.cuda_kernel import Simulator
from hotloop.judge.files import lay_out
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.not_measurable import lacking
from hotloop.judge.seeds import Seeds
from hotloop.judge.service import session_of
from hotloop.judge.session import Session
from hotloop.judge.task import find
from hotloop.learn.mutation.c_code import visible
from hotloop.learn.predicting.outcomes import JudgedPrediction, Kind, against, outcome
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.learn.predicting.widths import ROWS, WIDTHS, NoSuchSize, Size, checks_at, job_of

SIZES = (*(Size((columns,)) for columns in WIDTHS), Size((1000,), rows=1))
"""Sizes at which a change is judged: a single row has no neighbor that it could read from."""

SURVEY_S = 60.0
"""Time limit for judging a task at all sizes once, in seconds."""

_OF_FINDING: Mapping[str, Kind] = {
    "race": "race",
    "out_of_bounds": "bounds",
    "misaligned": "bounds",
    "divergent_barrier": "stuck",
    "divergent_warp": "stuck",
    "hang": "stuck",
}
_SHARED = re.compile(r"(__shared__\s+[\w:<>\s]*?\w+\s*\[)([^\[\]]+)(\])")


class SizedOutcome(Strict):
    """What a change does at one size of the inputs, on which two seeds agree."""

    columns: Annotated[int, Field(ge=1)]
    rows: Annotated[int, Field(ge=1)] = ROWS
    kind: Kind


@dataclass(frozen=True)
class AtSize:
    """The judge's outcome at a size, and the kinds of all findings of its simulator."""

    outcome: JudgedPrediction | None
    kinds: frozenset[Kind] = frozenset()


def surveyed(
    work: PredictedSubmission,
    task: str,
    seed: str,
    sizes: Sequence[Size] = SIZES,
    budget_s: float = SURVEY_S,
) -> list[AtSize]:
    """Return what the judge finds at each size; [] if the task's inputs have no sizes.

    The outcomes' figures are digests of all answers, too. seed: as in `Job`.
    """
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        lay_out(work.files, Path(folder))
        job = job_of(work, task, folder, seed, budget_s)
        judged = find(job.module, task)
        launcher = _Listening(job.isolation, threads=default_threads())
        with (
            constants({} if work.variant is None else work.variant.constants),
            closing(session_of(job, judged, launcher)) as session,
        ):
            checks = judged.checks
            if any(isinstance(check, CudaClean) for check in checks.values()):
                # It runs the same launches in all orders: in the one of `Correct`, the last thread
                # comes first, and an access outside of an array ends the run before any race.
                checks = {
                    name: check for name, check in checks.items() if not isinstance(check, Correct)
                }
            try:
                return [
                    _at_size(size, checks, _anew(session, f"{seed} {number}"), launcher)
                    for number, size in enumerate(sizes)
                ]
            except NoSuchSize:
                return []


def _at_size(
    size: Size, checks: Mapping[str, CheckFunction], session: Session, heard: "_Listening"
) -> AtSize:
    heard.findings.clear()
    answers: list[bytes] = []
    resized = checks_at(checks, size, lambda truth: _recording(truth, answers))
    spec = session.options.spec
    records = judge_checks(resized, session, lacking=None if spec is None else lacking(spec))
    if any(one.verdict not in (Verdict.PASSED, Verdict.WRONG_ANSWER) for one in records):
        # What a fault has ended is started again for the next size.
        session.resources.cached.clear()
    found = outcome(records)
    kinds = frozenset[Kind](kind for name, kind in _OF_FINDING.items() if name in heard.findings)
    if found is None:
        return AtSize(None, kinds)
    digest = hashlib.sha256(found.figures.encode() + b"".join(answers)).hexdigest()
    return AtSize(found.model_copy(update={"figures": digest}), kinds)


def _anew(session: Session, seed: str) -> Session:
    """Return the session with its compiled kernel, other seeds, and no calls made."""
    cached = session.resources.cached
    for key in [key for key in cached if key.startswith("calls of ")]:
        del cached[key]
    return replace(session, seeds=Seeds(hashlib.sha256(seed.encode()).digest()[:16]))


@dataclass(frozen=True)
class _Recording(Truth):
    """The same truth; it keeps a digest of each answer that is compared with it."""

    answers: list[bytes] = field(default_factory=list[bytes], compare=False)

    def require(self, case: Case) -> Require:
        """As of `Truth`."""
        required = super().require(case)

        def require(answer: Floats) -> None:
            self.answers.append(hashlib.sha256(answer.tobytes()).digest())
            required(answer)

        return require


def _recording(truth: Truth, answers: list[bytes]) -> Truth:
    return _Recording(truth.cases, truth.reference, truth.tolerance, answers=answers)


@dataclass(frozen=True)
class _Listening(Launcher):
    """Starts simulators, and notes the kinds of their findings: the judge names the first only."""

    findings: list[str] = field(default_factory=list[str])

    def simulator(self, budget: Budget) -> Simulator:
        """As of `Launcher`."""
        return _HeardSimulator(super().simulator(budget), self.findings)


class _HeardSimulator:
    def __init__(self, simulator: Simulator, findings: list[str]) -> None:
        self._simulator = simulator
        self._findings = findings

    @property
    def memory(self) -> type[Buffer]:
        return self._simulator.memory

    def map(self, buffers: dict[int, Buffer]) -> None:
        self._simulator.map(buffers)

    def request(self, message: Message, timeout_s: float) -> Message:
        reply = self._simulator.request(message, timeout_s)
        found = (as_message(one) for one in as_list(reply.get("findings")))
        self._findings.extend(str(one.get("kind")) for one in found if one is not None)
        return reply

    def close(self) -> None:
        self._simulator.close()


def kinds_of(
    kind: Kind, changed: Sequence[AtSize], unchanged: Sequence[AtSize]
) -> tuple[frozenset[Kind], list[Kind | None]]:
    """Return all kinds of outcome that are true of a change, and its outcome at each size.

    kind: of the key. A race counts as that whatever the numbers, and so does an access outside of
    an array; an outcome is None where numbers differ, and all of them pass.
    """
    outcomes: list[Kind | None] = []
    kinds: set[Kind] = {kind}
    for mine, plain in zip(changed, unchanged, strict=True):
        found = mine.outcome and plain.outcome and against(mine.outcome, plain.outcome)
        outcomes.append(found.kind if found else None)
        kinds |= mine.kinds - plain.kinds
        kinds |= {found.kind} if found else set()
    return frozenset(kinds - {"none"}), outcomes


def padded(text: str) -> str:
    """Return CUDA C++ with larger shared arrays: what was outside of one is inside then.

    An access outside of an array ends a run, and hides a race that is there as well.
    """
    shown = visible(text)
    spans = [(found.start(2), found.end(2)) for found in _SHARED.finditer(shown)]
    for start, end in reversed(spans):
        text = f"{text[:start]}2 * ({text[start:end]}) + 64{text[end:]}"
    return text
