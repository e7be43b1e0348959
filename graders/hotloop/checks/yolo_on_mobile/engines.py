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
from hotloop.judge.bench import Bench
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.file_exchange import get_file
from hotloop.judge.gpu.card import Card, CardBusy, NoCard
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import measure
from hotloop.judge.gpu.workers import candidate_worker, card_for, guests_of, trusted_worker
from hotloop.judge.levels import Level
from hotloop.judge.link import Link
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, Tensor, ask
from hotloop.judge.rungs.gpu_refereed import CardSide
from hotloop.judge.rungs.refereed_fast import case_of
from hotloop.judge.scheduling import undisturbed
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


def lacking() -> str | None:
    """Why no engine can be built here, and the remedy; None where one can."""
    if importlib.util.find_spec("tensorrt") is None:
        return f"TensorRT is not installed here: {REMEDY}"
    return None


@dataclass(frozen=True)
class Builds:
    """`build_engine` writes an engine that computes what the network does."""

    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Batches at both ends of the profile and in between."""
        with _equipment(name, bench) as card:
            if isinstance(card, RungRecord):
                return card
            engine = _built(candidate, bench, card)
            with _running(bench, card, engine) as theirs, _eager(bench, card) as ours:
                rng = bench.seeds.generator()
                for count in BATCHES:
                    pictures = Tensor(tiles(rng, (count, 3, *SIZE)), FP32)
                    case = Case(f"a batch of {count}", (pictures,), _table(count))
                    found = disagreement(*(_asked(case, link, bench) for link in (theirs, ours)))
                    if found is not None:
                        raise Ruling(Verdict.WRONG_ANSWER, f"A batch of {count}: {found}.")
            said = "The engine gives the network's table."
            return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"bytes": len(engine)})


@dataclass(frozen=True)
class EngineFast:
    """The engine against the same network in eager PyTorch, pictures in the host's memory."""

    levels: tuple[Level, ...]
    needs: tuple[str, ...] = ("engine",)
    seconds: float = 120.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Correctness is known; measure, compare, rule."""
        with _equipment(name, bench) as card:
            if isinstance(card, RungRecord):
                return card
            bench.progress("measuring the card's limits")
            with trusted_worker(bench, LIMITS.parent, card) as link:
                peak = measure(link, matmul=True).flops_per_s or 0.0
            engine = _built(candidate, bench, card)
            with (
                _running(bench, card, engine) as theirs,
                _eager(bench, card) as ours,
                _eager(bench, card) as referee,
            ):
                return self._judge(name, (theirs, ours, referee), card, peak, bench)

    def _judge(
        self, name: str, links: tuple[Link, Link, Link], card: Card, peak: float, bench: Bench
    ) -> RungRecord:
        theirs, ours, referee = links

        def verify(call: Call, _rows: Rows) -> None:
            want = _asked(case_of(call), referee, bench)
            found = disagreement(call.output_values(), want)
            if found is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {found}.")

        workload = replace(WORKLOAD, verify=verify)
        threads = bench.launcher.threads
        baseline = CardSide(ours, RUN, workload, threads, bench.seeds)
        entrant = CardSide(theirs, RUN, workload, threads, bench.seeds)
        try:
            return self._measure(name, baseline, entrant, card, peak, bench)
        finally:
            baseline.close()
            entrant.close()

    def _measure(
        self, name: str, a: CardSide, b: CardSide, card: Card, peak: float, bench: Bench
    ) -> RungRecord:
        spec = WORKLOAD.spec(bench.seeds.shapes(), 0)
        for side in (b, a):
            side.plan([spec])
            for _ in range(WARMUP_WINDOWS):
                side.window([False])
        with undisturbed((b.link, a.link), bench.launcher.threads):
            a.card = b.card = card
            outcome = Trial(
                a,
                b,
                self.levels,
                bench.seeds.generator(),
                bench.deadline_in(self.seconds),
                bench.progress,
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
        return rule_on_speed(name, outcome, self.levels, evidence, IMPLAUSIBLE)


def disagreement(got: Floats, want: Floats) -> str | None:
    """What is wrong with a table, as a sentence's beginning. Written so that a NaN is wrong."""
    off = np.abs(got - want)
    if not (off[..., :4] <= PIXELS_OFF).all():
        return f"a coordinate is {np.nan_to_num(off[..., :4], nan=np.inf).max():.3g} pixels off"
    if not (off[..., 4:] <= SCORE_OFF).all():
        return f"a probability is {np.nan_to_num(off[..., 4:], nan=np.inf).max():.3g} off"
    return None


@contextmanager
def _equipment(name: str, bench: Bench) -> Generator[Card | RungRecord]:
    """The GPU, or the record that says what is missing."""
    missing = lacking()
    if missing is not None:
        yield RungRecord(name, Verdict.NOT_MEASURED, missing)
        return
    try:
        card = card_for(bench)
    except NoCard as why:
        yield RungRecord(name, Verdict.NOT_MEASURED, str(why))
        return
    # The judge, and each of builder or engine, baseline and referee.
    card.clocks.expected_clients = 4 + guests_of(bench)
    try:
        yield card
    except CardBusy as busy:
        sentence = f"Others use this GPU ({busy}); it stays open until it is measured again."
        raise Ruling(Verdict.UNDECIDED, sentence) from None


def _built(candidate: Candidate, bench: Bench, card: Card) -> bytes:
    """The engine that the candidate built; once for all rungs."""
    return bench.shared("the engine", lambda: _build(candidate, bench, card))


def _build(candidate: Candidate, bench: Bench, card: Card) -> bytes:
    bench.progress("writing the model")
    writer = Program({**EAGER, "engine_files.py": HARNESS / "engine_files.py"}, "engine_files.py")
    maker = writer.trusted(bench)
    model = get_file(maker.link, str(maker.ask("write", *SIZE)), MODEL_BYTES)
    bench.progress("building the engine")
    with candidate_worker(bench, replace(candidate, name=ENTRY), card) as link:
        target = f"{put_folder(link)}/detector.engine"
        given = GivenFile("detector.onnx", model)
        ask_plainly(link, (given, *BATCHES, target), bench.patience(BUILD_S))
        return get_file(link, target, MODEL_BYTES)


@contextmanager
def _running(bench: Bench, card: Card, engine: bytes) -> Generator[Link]:
    files = {"engine_runner.py": HARNESS / "engine_runner.py"}
    with trusted_worker(bench, bench.staged(files), card) as link:
        # What fails from here on is the candidate's: its engine is what runs.
        link.trusted = False
        runner = Process(Program(files, "engine_runner.py"), link, bench)
        runner.ask("load", GivenFile("detector.engine", engine))
        runner.resolve("run")
        yield link


@contextmanager
def _eager(bench: Bench, card: Card) -> Generator[Link]:
    with trusted_worker(bench, bench.staged(EAGER), card) as link:
        process = Process(Program(EAGER, "eager.py"), link, bench)
        process.ask("use", DEVICE)
        process.resolve("run")
        yield link


def _asked(case: Case, link: Link, bench: Bench) -> Floats:
    return ask(case, RUN, link, bench, bench.patience(RESOLVE_S))


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
