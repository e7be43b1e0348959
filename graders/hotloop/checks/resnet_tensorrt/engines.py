"""Rungs about a TensorRT engine, for machines that have TensorRT and a GPU.

The candidate's function builds the engine in its own worker, from a model of ours. What it wrote is
loaded by a program of ours in another worker, confined as a candidate is: an engine is code.
No run of these rungs on a card is recorded yet; elsewhere they say what is missing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hotloop.checks.resnet_tensorrt.given_files import HARNESS, program_files
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32, U8
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

SIDE, CLASSES, BATCH = 224, 1000, 32
FLOPS = 8_200_000_000
"""Of one picture: 4.1 thousand million products of ResNet-50 at 224×224, each with its addition."""

MODEL_BYTES = 256 << 20
BUILD_S, RESOLVE_S = 300.0, 120.0
HALF_SHARE = 0.02
"""Of the largest logit: float16 through 53 layers."""

CONTROL_TOLERANCE, IMPLAUSIBLE = 0.03, 1.3
WARMUP_WINDOWS = 3
REMEDY = "on a machine with an NVIDIA GPU: python -m pip install tensorrt"


def require_tensorrt() -> None:
    """Ruling NOT_MEASURED where no engine can be built."""
    if importlib.util.find_spec("tensorrt") is None:
        raise Ruling(Verdict.NOT_MEASURED, f"TensorRT is not installed here: {REMEDY}")


@dataclass(frozen=True)
class Builds:
    """`build_engine` writes engine and timing cache, and the engine computes what it should."""

    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Batches at both ends of the profile and in between."""
        require_tensorrt()
        with card_for_three(session) as card:
            seed, engine = _built(session, card)
            with _running(session, card, engine) as theirs, _eager(session, card, seed) as ours:
                rng = session.rng()
                for count in (1, BATCH, 64):
                    frames = Tensor(rng.integers(0, 256, (count, SIDE, SIDE, 3)), U8)
                    case = Case(f"a batch of {count}", (frames,), _logits(count))
                    got, want = (_asked(case, link, session) for link in (theirs, ours))
                    found = _disagreement(got, want)
                    if found is not None:
                        raise Ruling(Verdict.WRONG_ANSWER, f"A batch of {count}: {found}.")
            said = "The engine computes what the network does, and the timing cache is there."
            session.note(bytes=len(engine))
            return said


@dataclass(frozen=True)
class EngineFast:
    """The float16 engine against the same network in PyTorch, frames in the host's memory."""

    levels: tuple[Level, ...]
    after: tuple[str, ...] = ("builds",)
    seconds: float = 120.0

    def __call__(self, session: Session) -> str:
        """Correctness is known; measure, compare, rule."""
        require_tensorrt()
        with card_for_three(session) as card:
            session.progress("measuring the card's limits")
            with trusted_worker(session, LIMITS.parent, card) as link:
                peak = measure(link, matmul=True).flops_per_s or 0.0
            seed, engine = _built(session, card)
            with (
                _running(session, card, engine) as theirs,
                _eager(session, card, seed) as ours,
                _eager(session, card, seed) as referee,
            ):
                return self._judge((theirs, ours, referee), card, peak, session)

    def _judge(
        self, links: tuple[Link, Link, Link], card: Card, peak: float, session: Session
    ) -> str:
        theirs, ours, referee = links

        def verify(call: Call, _rows: Rows) -> None:
            want = _asked(case_of(call), referee, session)
            found = _disagreement(call.output_values(), want)
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
        flops = float(BATCH * FLOPS)
        evidence = speed_evidence(
            outcome,
            self.levels,
            baseline="eager PyTorch",
            limit=Limit(flops / peak, flops_per_call=flops, flops_per_s=peak),
            calls_per_window=1,
            gpu=card.facts.name,
            clock=card.clocks.state().words(),
            **measured_on(spec),
        )
        return rule_on_speed(session, outcome, self.levels, evidence, IMPLAUSIBLE)


def _built(session: Session, card: Card) -> tuple[int, bytes]:
    """The network's seed, and the engine that the candidate built for it; once for all rungs."""
    return session.once("the engine", lambda: _build(session, card))


def _build(session: Session, card: Card) -> tuple[int, bytes]:
    seed = int(session.rng().integers(2**31))
    session.progress("writing the model")
    maker = _network().trusted(session)
    path = maker.ask("write", seed, timeout_s=BUILD_S)
    model = get_file(maker.link, str(path), MODEL_BYTES)
    session.progress("building the engine")
    with candidate_worker(session, card) as link:
        folder = put_folder(link)
        cache, target = f"{folder}/timings", f"{folder}/network.engine"
        given = GivenFile("network.onnx", model)
        ask_plainly(link, (given, "fp16", cache, target), session.timeout(BUILD_S))
        if not get_file(link, cache):
            raise Ruling(Verdict.WRONG_ANSWER, "The timing cache is empty.")
        return seed, get_file(link, target, MODEL_BYTES)


@contextmanager
def _running(session: Session, card: Card, engine: bytes) -> Generator[Link]:
    files = {"engine_runner.py": HARNESS / "engine_runner.py"}
    with trusted_worker(session, session.staged(files), card) as link:
        # What fails from here on is the candidate's: its engine is what runs.
        link.trusted = False
        runner = Process(Program(files, "engine_runner.py"), link, session)
        runner.ask("load", GivenFile("network.engine", engine))
        runner.resolve("run")
        yield link


@contextmanager
def _eager(session: Session, card: Card, seed: int) -> Generator[Link]:
    network = _network()
    with trusted_worker(session, session.staged(network.files), card) as link:
        process = Process(network, link, session)
        process.ask("load", seed)
        process.resolve("run")
        yield link


def _network() -> Program:
    return Program(program_files("whole_network.py"), "whole_network.py")


def _asked(case: Case, link: Link, session: Session) -> Floats:
    return ask(case, link, session.about(RUN), session.timeout(RESOLVE_S))


def _disagreement(got: Floats, want: Floats) -> str | None:
    near = Tolerance(relative=0.0, absolute=HALF_SHARE * float(np.abs(want).max()))
    found = compare(got, want, near)
    return None if found is None else f"a logit is wrong: {found.sentence()}"


def _logits(count: int) -> TensorSpec:
    return TensorSpec((count, CLASSES), FP32)


def _spec(_rng: Rng, _index: int) -> CallSpec:
    return CallSpec((TensorSpec((BATCH, SIDE, SIDE, 3), U8),), _logits(BATCH))


def _fill(rng: Rng, call: Call, hostile: bool) -> None:
    """Noise; adversarial: frames of one colour each."""
    (frames,) = call.inputs()
    shape = (len(frames), 1, 1, 3) if hostile else frames.shape
    frames[...] = rng.integers(0, 256, shape, np.uint8)


WORKLOAD = Workload(_spec, _fill)
RUN = Candidate("run", style="destination")
