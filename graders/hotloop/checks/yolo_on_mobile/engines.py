"""Rungs about the detector as a TensorRT engine, for machines that have TensorRT and a GPU.

The candidate's function builds the engine in a worker of its own, from a model of ours. What it
wrote is loaded by a program of ours in another worker, confined as a candidate is: an engine is
code. No run of these rungs on a card is recorded yet; elsewhere they say what is missing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hotloop.checks.yolo_on_mobile.network_cost import CLASSES, boxes, flops
from hotloop.checks.yolo_on_mobile.quantized import HARNESS
from hotloop.checks.yolo_on_mobile.speeds import EAGER, SIZE, tiles
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.file_exchange import get_file
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import measure
from hotloop.judge.gpu.workers import candidate_worker, card_for_three, trusted_worker
from hotloop.judge.levels import Level
from hotloop.judge.link import Link
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.rungs.correct import Case, Tensor, ask
from hotloop.judge.rungs.gpu_refereed import CardSide
from hotloop.judge.rungs.refereed_fast import case_of
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.session import Session
from hotloop.judge.speed import Trial
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.judge.verification import Rows
from hotloop.judge.window import Workload

Rng = np.random.Generator

BATCHES = (1, 8, 16)
"""The least, the usual and the most pictures of a call."""

ENTRY = "build_engine"
DEVICE = "cuda"
MODEL_BYTES = 64 << 20
BUILD_S, RESOLVE_S = 300.0, 120.0
PIXELS_OFF, SCORE_OFF = 2.0, 0.03
"""TF32 and float16 have ten bits behind the point: half a pixel of 640, through sixty layers."""

CONTROL_TOLERANCE, IMPLAUSIBLE = 0.03, 1.3
WARMUP_WINDOWS = 3
REMEDY = "on a machine with an NVIDIA GPU: python -m pip install tensorrt"


def require_tensorrt() -> None:
    """Ruling NOT_MEASURED where no engine can be built."""
    if importlib.util.find_spec("tensorrt") is None:
        raise Ruling(Verdict.NOT_MEASURED, f"TensorRT is not installed here: {REMEDY}")


@dataclass(frozen=True)
class Builds:
    """`build_engine` writes an engine that computes what the network does."""

    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Batches at both ends of the profile and in between."""
        require_tensorrt()
        with card_for_three(session) as card:
            engine = _built(session, card)
            with _running(session, card, engine) as theirs, _eager(session, card) as ours:
                rng = session.rng()
                for count in BATCHES:
                    pictures = Tensor(tiles(rng, (count, 3, *SIZE)), FP32)
                    case = Case(f"a batch of {count}", (pictures,), _table(count))
                    found = disagreement(*(_asked(case, link, session) for link in (theirs, ours)))
                    if found is not None:
                        raise Ruling(Verdict.WRONG_ANSWER, f"A batch of {count}: {found}.")
            said = "The engine gives the network's table."
            session.note(bytes=len(engine))
            return said


@dataclass(frozen=True)
class EngineFast:
    """The engine against the same network in eager PyTorch, pictures in the host's memory."""

    levels: tuple[Level, ...]
    after: tuple[str, ...] = ("engine",)
    seconds: float = 120.0

    def __call__(self, session: Session) -> str:
        """Correctness is known; measure, compare, rule."""
        require_tensorrt()
        with card_for_three(session) as card:
            session.progress("measuring the card's limits")
            with trusted_worker(session, LIMITS.parent, card) as link:
                peak = measure(link, matmul=True).flops_per_s or 0.0
            engine = _built(session, card)
            with (
                _running(session, card, engine) as theirs,
                _eager(session, card) as ours,
                _eager(session, card) as referee,
            ):
                return self._judge((theirs, ours, referee), card, peak, session)

    def _judge(
        self, links: tuple[Link, Link, Link], card: Card, peak: float, session: Session
    ) -> str:
        theirs, ours, referee = links

        def verify(call: Call, _rows: Rows) -> None:
            want = _asked(case_of(call), referee, session)
            found = disagreement(call.output_values(), want)
            if found is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {found}.")

        workload = replace(WORKLOAD, verify=verify)
        threads = session.launcher.threads
        baseline = CardSide(ours, RUN, workload, threads, session.seeds)
        entrant = CardSide(theirs, RUN, workload, threads, session.seeds)
        try:
            return self._measure(baseline, entrant, card, peak, session)
        finally:
            baseline.close()
            entrant.close()

    def _measure(self, a: CardSide, b: CardSide, card: Card, peak: float, session: Session) -> str:
        spec = WORKLOAD.spec(session.seeds.shapes(), 0)
        for side in (b, a):
            side.plan([spec])
            for _ in range(WARMUP_WINDOWS):
                side.window([False])
        with undisturbed((b.link, a.link), session.launcher.threads):
            a.card = b.card = card
            outcome = Trial(
                a,
                b,
                self.levels,
                session.rng(),
                session.deadline_in(self.seconds),
                session.progress,
                control_tolerance=CONTROL_TOLERANCE,
            ).run()
        work = float(BATCHES[1] * flops(*SIZE))
        evidence = speed_evidence(
            outcome,
            self.levels,
            baseline="eager PyTorch",
            limit=Limit(work / peak, flops_per_call=work, flops_per_s=peak),
            calls_per_window=1,
            gpu=card.facts.name,
            clock=card.clocks.state().words(),
            **measured_on(spec),
        )
        return rule_on_speed(session, outcome, self.levels, evidence, IMPLAUSIBLE)


def disagreement(got: Floats, want: Floats) -> str | None:
    """What is wrong with a table, as a sentence's beginning. Written so that a NaN is wrong."""
    off = np.abs(got - want)
    if not (off[..., :4] <= PIXELS_OFF).all():
        return f"a coordinate is {np.nan_to_num(off[..., :4], nan=np.inf).max():.3g} pixels off"
    if not (off[..., 4:] <= SCORE_OFF).all():
        return f"a probability is {np.nan_to_num(off[..., 4:], nan=np.inf).max():.3g} off"
    return None


def _built(session: Session, card: Card) -> bytes:
    """The engine that the candidate built; once for all rungs."""
    return session.once("the engine", lambda: _build(session, card))


def _build(session: Session, card: Card) -> bytes:
    session.progress("writing the model")
    writer = Program({**EAGER, "engine_files.py": HARNESS / "engine_files.py"}, "engine_files.py")
    maker = writer.trusted(session)
    model = get_file(maker.link, str(maker.ask("write", *SIZE)), MODEL_BYTES)
    session.progress("building the engine")
    with candidate_worker(session.of(ENTRY), card) as link:
        target = f"{put_folder(link)}/detector.engine"
        given = GivenFile("detector.onnx", model)
        ask_plainly(link, (given, *BATCHES, target), session.timeout(BUILD_S))
        return get_file(link, target, MODEL_BYTES)


@contextmanager
def _running(session: Session, card: Card, engine: bytes) -> Generator[Link]:
    files = {"engine_runner.py": HARNESS / "engine_runner.py"}
    with trusted_worker(session, session.staged(files), card) as link:
        # What fails from here on is the candidate's: its engine is what runs.
        link.trusted = False
        runner = Process(Program(files, "engine_runner.py"), link, session)
        runner.ask("load", GivenFile("detector.engine", engine))
        runner.resolve("run")
        yield link


@contextmanager
def _eager(session: Session, card: Card) -> Generator[Link]:
    with trusted_worker(session, session.staged(EAGER), card) as link:
        process = Process(Program(EAGER, "eager.py"), link, session)
        process.ask("use", DEVICE)
        process.resolve("run")
        yield link


def _asked(case: Case, link: Link, session: Session) -> Floats:
    return ask(case, link, session.about(RUN), session.timeout(RESOLVE_S))


def _table(count: int) -> TensorSpec:
    return TensorSpec((count, boxes(*SIZE), 5 + CLASSES), FP32)


def _spec(_rng: Rng, _index: int) -> CallSpec:
    pictures = TensorSpec((BATCHES[1], 3, *SIZE), FP32)
    return CallSpec((pictures,), _table(BATCHES[1]))


def _fill(rng: Rng, call: Call, hostile: bool) -> None:
    """As on a CPU."""
    (pictures,) = call.inputs()
    pictures[...] = tiles(rng, pictures.shape, hostile)


WORKLOAD = Workload(_spec, _fill)
RUN = Candidate("run", style="destination")
