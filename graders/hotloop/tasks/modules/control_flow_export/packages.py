"""The compiled package: its scores, its speed, the service over it, and its cold start."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge import program as programs
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import check
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.oracle import Oracle
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.control_flow_export.encoder_paths import (
    KINDS,
    QUEUES,
    EncoderPath,
    case_of,
    departs,
    seed,
    truth_of,
    with_weights,
    wrong_somewhere,
)
from hotloop.tasks.modules.control_flow_export.given_files import GIVEN, PROGRAMS, program
from hotloop.tasks.modules.control_flow_export.models import Written

FILE = "encoder.pt2"
PACKAGE_S = 240.0
ANSWERS = "answer"
"""The function of the learner's service."""

REQUESTS = 12
STARTS = 3
TIMED = ((1, 16), (2, 24), (1, 48), (3, 20))
"""(messages, tokens) of the timed calls, in turn."""

MAKER = program("portable_encoder.py", "encoder.py")
PACKAGED = replace(program("package_runs.py"), believed=programs.ANSWERS)
COMPILED = program("compiled_at_start.py", "encoder.py")
ENCODER = {"encoder.py": GIVEN / "encoder.py"}
EAGER = Baseline(PROGRAMS / "eager_encoder.py", "run", beside=ENCODER)
ORACLE = Oracle({"encoder_truth.py": PROGRAMS / "encoder_truth.py", **ENCODER}, "encoder_truth.py")


@dataclass(frozen=True)
class Request:
    """One message for the service, and the source's scores for it alone."""

    tokens: list[int]
    kind: int
    label: str
    truth: Floats


def packaged(session: Session) -> Written:
    """Return the package; compiling it takes long, so it is made once per session."""
    return session.once("package", lambda: _compile(session))


def right(session: Session) -> Iterator[Assertion]:
    """Compare the package's scores in all cases."""

    def mismatch() -> str | None:
        package = packaged(session)
        process = PACKAGED.given(session, "runs the package")
        process.ask("load", GivenFile(FILE, package.data))
        return wrong_somewhere(
            package.weights,
            lambda case: process.answer("run", with_weights(package.weights, case)),
            session,
        )

    yield Assertion("Your package", mismatch)


@check(after=("correct",), timed=True, scored_by="levels")
def fast_cpu(session: Session) -> str:
    """Time the package against eager execution of the source, each in a separate process."""
    # The weights' seed is an argument of a timed call, and is chosen when the package is made.
    fast = Fast(
        Workload(partial(_timed_spec, packaged(session).weights), _fill),
        EAGER,
        lambda spec: spec.out.bytes,
        fewest_flops=_fewest_flops,
        entrant=_package_alone,
        oracle=ORACLE.function("run", lambda _case, got, want: departs(got, want)),
    )
    return fast(session)


def served(session: Session) -> Iterator[Assertion]:
    """Compare the answers of the learner's service, using only the package."""

    def mismatch() -> str | None:
        package = packaged(session)
        requests = list(_requests(package.weights, session.rng(), session, REQUESTS))
        return _service_mismatch(package, requests, session)

    yield Assertion("Your service", mismatch)


@check(after=("serves",), timed=True, scored_by="levels")
def cold_start(session: Session) -> str:
    """Measure the time from starting the service's process to its first answer.

    The median of STARTS is compared with one start of a judge's process that compiles the source
    for the first message. Compiling takes so much longer that one start is enough. Raises Partly if
    the ratio earns less than all points.
    """
    package = packaged(session)
    # A message that exits early, so that as little as possible is compiled.
    (request,) = _requests(package.weights, session.rng(), session, 1, late=False)
    session.alone()
    starts = [
        _seconds(lambda: _service_mismatch(package, [request], session)) for _ in range(STARTS)
    ]
    session.progress("compiling the source at the start, to compare with")
    compiling = _seconds(lambda: _compiled_answer(package, request, session))
    session.note(starts_s=[round(s, 3) for s in starts], compiling_s=round(compiling, 3))
    start = statistics.median(starts)
    levels = session.levels
    share = max((level.earned for level in levels if compiling >= level.ratio * start), default=0)
    sentence = f"first answer after {start:.2f} s; compiling at the start takes {compiling:.2f} s"
    if share == 1:
        return f"{sentence[0].upper()}{sentence[1:]}."
    most = max(level.ratio for level in levels)
    raise Partly(share, f"Too late: {sentence}, and {most:g} times sooner is asked for.")


def _timed_spec(weights: int, _rng: Rng, index: int) -> CallSpec:
    n, length = TIMED[index % len(TIMED)]
    tokens = TensorSpec((n, length), I64)
    return CallSpec((weights, tokens, index % len(KINDS)), TensorSpec((n, QUEUES), FP32))


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Sample messages; adversarial: half of each is padding."""
    (tokens,) = call.inputs()
    tokens[...] = rng.integers(1, 512, tokens.shape)
    if hostile:
        tokens[:, tokens.shape[1] // 2 :] = 0


def _package_alone(session: Session) -> tuple[WorkerConnection, Candidate]:
    session.worker().close()
    process = PACKAGED.another(session, given=True)
    process.ask("load", GivenFile(FILE, packaged(session).data))
    process.resolve("run")
    return process.worker, process.as_candidate("run")


def _compile(session: Session) -> Written:
    weights = seed(session.rng())
    maker = MAKER.trusted(session)
    exported = GivenFile("exported.pt2", maker.take(maker.ask("write", weights)))
    assignment = Assignment("Your package", (exported,), FILE, lambda _data: None)
    return Written(weights, file_written(assignment, session, PACKAGE_S))


def answers_mismatch(answer: object, requests: list[Request]) -> str | None:
    """Return a message about the first wrong answer, or None."""
    rows = as_list(answer)
    if len(rows) != len(requests):
        return f"it gives {shown(answer)} for {len(requests)} messages"
    for number, (row, request) in enumerate(zip(rows, requests, strict=True), start=1):
        scores = as_list(row)
        if len(scores) != QUEUES or not all(type(score) in (int, float) for score in scores):
            return f"its answer {number} is {shown(row)}, not {QUEUES} numbers"
        mismatch = departs(np.asarray([scores], np.float64), request.truth)
        if mismatch is not None:
            return f"message {number} of {len(requests)} ({request.label}): {mismatch}"
    return None


def _requests(
    weights: int, rng: Rng, session: Session, count: int, late: bool | None = None
) -> Iterator[Request]:
    """Yield messages of all kinds, some of equal length, some of which exit early."""
    lengths = (12, 12, 30, 40)
    for number in range(count):
        goes_on = bool(rng.integers(2)) if late is None else late
        way = EncoderPath(int(rng.integers(3)), 1, lengths[number % 4], goes_on)
        case = case_of(weights, way, rng, session)
        (tokens, _) = case.arguments
        assert isinstance(tokens, InputTensor)
        truth = truth_of(weights, case, session)
        yield Request(tokens.values[0].tolist(), way.kind, way.label, truth)


def _service_mismatch(package: Written, requests: list[Request], session: Session) -> str | None:
    """Ask the learner's service, in a process with only its own file, and compare its answers."""
    arguments = (GivenFile(FILE, package.data), _requests_file(requests))
    service, *_ = session.edited
    alone = session.with_files({service: session.files.read_text(service).encode()})
    worker = alone.about(Candidate(ANSWERS, service, "json")).another_worker()
    try:
        answer = ask_plainly(worker, arguments, session.timeout(60.0))
    finally:
        worker.close()
    return answers_mismatch(answer, requests)


def _requests_file(requests: list[Request]) -> GivenFile:
    text = json.dumps([{"tokens": r.tokens, "kind": r.kind} for r in requests])
    return GivenFile("requests.json", text.encode())


def _compiled_answer(package: Written, request: Request, session: Session) -> str | None:
    process = COMPILED.another(session, given=False)
    file = _requests_file([request])
    answer = process.ask("answer", package.weights, file, timeout_s=PACKAGE_S)
    return answers_mismatch(answer, [request])


def _seconds(act: Callable[[], str | None]) -> float:
    started = time.monotonic()
    mismatch = act()
    seconds = time.monotonic() - started
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In a start that was timed: {mismatch}.")
    return seconds


def _fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of one layer, which every message passes through."""
    tokens = spec.arguments[1]
    assert isinstance(tokens, TensorSpec)
    n, length = tokens.shape
    return 2 * n * length * (12 * 64 * 64 + 2 * 64 * length)
