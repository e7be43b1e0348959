"""Checks a problem of a public set on a GPU: correctness, and speed against the problem's own code.

The problem's code makes the inputs and the expected outputs in a trusted, sandboxed process, the
oracle. The judge maps a leg's device memory into the oracle before the candidate gets it, and again
after the candidate has given it back; the candidate's process is frozen meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hotloop.author.external import PROGRAMS, TIMED, Who
from hotloop.author.external.checks import (
    LABELS,
    LEAST_CALLS,
    TOLERANCE_WORDS,
    OwnCode,
    tensor_spec,
)
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.case_label import labeled
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import GpuFast, blaming
from hotloop.judge.checks.on_gpu import run
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import U8
from hotloop.judge.gpu.card import Card, CardBusy
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.gpu.memory import Loan
from hotloop.judge.gpu.verify import Verifier
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workers import candidate_worker, card_for, guests_of, trusted_worker
from hotloop.judge.gpu.workload import DeviceWorkload, Secrets
from hotloop.judge.program import Program
from hotloop.judge.session import Session
from hotloop.judge.speed import USUAL, Pace
from hotloop.judge.speed_record import Limit
from hotloop.judge.worker_connection import WorkerConnection

ON_GPU = "_on_gpu"
"""Suffix of the adapter's functions for a GPU."""

TIMEOUT_S = 120.0

IMPLAUSIBLE = 2.0
"""Fraction of the limit above which a speed is implausible.

It may exceed 1, as outputs need not depend on all inputs: half of a triangular matrix is zeros.
"""

Key = tuple[int, int, int, str]
"""Key of a call: number of the test, seed of the inputs, seed of the weights, kind of inputs."""


class ProblemProcess:
    """The problem's own code, in a process with access to the GPU."""

    def __init__(self, process: OwnCode, card: Card) -> None:
        self._process, self._card = process, card

    def call(self, key: Key) -> tuple[CallSpec, str] | None:
        """Return the call for the candidate, and a text on its sizes.

        Returns None if it is too large for the GPU.
        """
        if not (reported := self._process.described(key)):
            return None
        outputs = [tensor_spec(each) for each in reported["outputs"]]
        texts = (json.dumps(reported["setup"]), json.dumps(reported["given"]), key[2])
        inputs = [tensor_spec(each) for each in reported["inputs"]]
        return CallSpec((*texts, *inputs), _one(outputs)), str(reported["sizes"])

    def decides(self, key: Key) -> bool:
        """Return whether a wrong answer to the call would be refused."""
        reported = self._process.described(key)
        return reported is not None and not reported["undecided"]

    def cost(self, key: Key) -> tuple[int, float]:
        """Return the bytes that a call must move, and the operations of the problem's own code."""
        reported: Any = self._process.ask("cost", *key)
        moved, operations = reported
        return int(moved), float(operations)

    def fill(self, loan: Loan, keys: Sequence[Key]) -> None:
        """Write the inputs of all calls of a leg into device memory."""
        self._over("fill_call", loan, dict(enumerate(keys)))

    def require_right(self, loan: Loan, keys: Mapping[int, Key]) -> None:
        """Raise Ruling WRONG_ANSWER if one of these calls has a wrong output or a changed input."""
        self._over("check_call", loan, keys)
        reported: Any = self._process.ask("taken")
        messages = [str(text) for text in reported]
        if wrong := next(filter(None, messages), None):
            raise Ruling(Verdict.WRONG_ANSWER, wrong)

    def _over(self, function: str, loan: Loan, keys: Mapping[int, Key]) -> None:
        """Call a function of the oracle once per call, on the leg's device memory."""
        self._process.resolve(function)
        calls: list[dict[str, Any]] = []
        for number, key in keys.items():
            call = loan.layout.calls[number]
            places = [*(place for place in call.places if place is not None), call.out]
            plain = [{"json": value} for value in key]
            tensors = [{"tensor": place.to_message()} for place in places]
            calls.append({"args": [*plain, *tensors], "returns": None})
        buffers = loan.layout.describe(self._card.driver.granularity())
        plan = {"buffers": [{**each, "writable": True} for each in buffers], "calls": calls}
        worker = self._process.worker
        worker.request(
            {"op": "device_plan", **plan, "framework": "torch", "style": "destination"}, TIMEOUT_S
        )
        run(worker, loan, TIMEOUT_S)
        worker.request({"op": "device_unmap"}, TIMEOUT_S)


def _one(outputs: Sequence[TensorSpec]) -> TensorSpec:
    """Return the spec of the one tensor that the programs' `for_device` makes of the outputs."""
    if len(outputs) == 1:
        return TensorSpec(outputs[0].shape or (1,), outputs[0].dtype)
    return TensorSpec((sum(each.bytes for each in outputs),), U8)


@contextmanager
def oracle_of(program: Program, session: Session, card: Card) -> Generator[ProblemProcess]:
    """Start the oracle's process."""
    with trusted_worker(session, session.staged(program.files), card) as worker:
        yield ProblemProcess(OwnCode(program, worker, session), card)


class TimedProblemWorker(TimedDeviceWorker):
    """A side whose inputs and expected outputs come from the oracle.

    kinds: kinds of inputs, the usual ones first. keys: of the calls of the current leg.
    """

    def __init__(
        self, *side: Any, oracle: ProblemProcess, test: int, weights: int, kinds: Sequence[str]
    ):
        super().__init__(*side)
        self._oracle, self._test, self._weights = oracle, test, weights
        self.kinds = kinds
        self.keys: list[Key] = []
        self._complete = Verifier(self.workload, self.card.arithmetic)

    def _fill(self, loan: Loan, secrets: Secrets) -> None:  # noqa: ARG002
        rng = self.seeds.generator()
        kinds = [str(rng.choice(self.kinds)) for _ in loan.layout.calls]
        self.keys = [(self._test, int(rng.integers(1 << 31)), self._weights, k) for k in kinds]
        self._oracle.fill(loan, self.keys)

    def _verify(self, loan: Loan, secrets: Secrets, captured: NDArray[np.uint8]) -> None:
        self._complete.require_complete(loan, secrets, captured)
        if not self.worker.trusted:
            self._oracle.require_right(loan, {each: self.keys[each] for each in secrets.calls})


def _workload(spec: CallSpec) -> DeviceWorkload:
    """Return a workload with shapes only: inputs and expected outputs come from the oracle."""
    return DeviceWorkload(
        spec=lambda _rng, _number: spec,
        draws=lambda _rng, _spec, _hostile: (),
        truth=lambda *_inputs: None,
        tolerance=lambda _spec: Tolerance(0.0, 0.0),
    )


@dataclass(frozen=True)
class RightOnGpu(Check):
    """Checks that every call is right on the GPU. kinds, who: as in `Agrees`."""

    program: Program
    kinds: tuple[str, ...]
    who: Who

    def __call__(self, session: Session) -> str:
        """Run each call. Raises Ruling at the first wrong one."""
        card = card_for(session)
        card.clocks.expected_clients = 3 + guests_of(session)
        session.note(gpu=card.facts.name, tolerance=TOLERANCE_WORDS[self.who])
        try:
            with oracle_of(self.program, session, card) as oracle:
                return self._judge(oracle, card, session)
        except CardBusy as busy:
            sentence = f"Others use this GPU ({busy}); it stays open until it is measured again."
            raise Ruling(Verdict.UNDECIDED, sentence) from None

    def _judge(self, oracle: ProblemProcess, card: Card, session: Session) -> str:
        weights, passed = int(session.rng().integers(1 << 31)), 0
        about = session.of(session.candidate.name + ON_GPU)
        calls = [(number, oracle.call((number, 0, weights, kind)), kind)
                 for number, kind in enumerate(self.kinds)]  # fmt: skip
        before = card.driver.memory()[0]
        with candidate_worker(about, card) as worker:
            for number, call, kind in calls:
                if call is None or not oracle.decides((number, 0, weights, kind)):
                    continue
                spec, sizes = call
                side = TimedProblemWorker(
                    worker, about.candidate, _workload(spec), card, session.seeds, before,
                    session.budget, oracle=oracle, test=number, weights=weights, kinds=(kind,),
                )  # fmt: skip
                side.plan([spec])
                with labeled(f"Call {number + 1}, {LABELS[kind]}"), blaming(worker, card):
                    side.window([False])
                passed += 1
                session.note(cases=passed, sizes=sizes)
        if passed < min(LEAST_CALLS, len(self.kinds)):
            why = f"{passed} calls tell right from wrong on this GPU"
            raise Ruling(Verdict.NOT_MEASURED, f"Right or wrong cannot be told here: {why}.")
        return f"Right on the {card.facts.name} on all {passed} hidden cases."


@dataclass(frozen=True)
class FastOnGpu(Check):
    """Checks the speed on a GPU against the problem's own code. baseline: `eager` or `compiled`."""

    scored_by: str = field(default="levels", kw_only=True)
    program: Program
    kinds: tuple[str, ...]
    who: Who
    baseline: Literal["eager", "compiled"]
    after: tuple[str, ...] | None = field(default=("gpu_correct",), kw_only=True)
    pace: Pace = USUAL

    def __call__(self, session: Session) -> str:
        """Measure the speedup over the baseline and return the verdict's sentence."""
        card = card_for(session)
        with oracle_of(self.program, session, card) as oracle:
            weights = int(session.rng().integers(1 << 31))
            test, spec, sizes = self._largest(oracle, weights)
            session.note(sizes=sizes)
            keys = [(test, 0, weights, kind) for kind in dict.fromkeys(self.kinds)]
            moved, operations = oracle.cost(keys[0])
            beside = {name: path for name, path in self.program.files.items() if name != TIMED}
            measured = _Measured(
                workload=_workload(spec),
                baseline=Baseline(PROGRAMS / TIMED, self.baseline, beside=beside),
                fewest_bytes=lambda _spec: moved,
                fewest_flops=lambda _spec: int(operations),
                after=self.after,
                pace=self.pace,
                implausible=IMPLAUSIBLE,
                helpers=1,
                helper_bytes=max(0, card.free_bytes - card.driver.memory()[0]),
                oracle=oracle,
                test=test,
                weights=weights,
                kinds=tuple(key[3] for key in keys if oracle.decides(key)),
            )
            return measured(session.of(session.candidate.name + ON_GPU))

    def _largest(self, oracle: ProblemProcess, weights: int) -> tuple[int, CallSpec, str]:
        """Return the last of the problem's tests that fits, as benchmarks come last.

        Returns its number, its call and a text on its sizes. Raises Ruling if none fits.
        """
        last = len(self.kinds) - 1 if self.who == "problem" else 0
        for test in range(last, -1, -1):
            if (call := oracle.call((test, 0, weights, self.kinds[test]))) is not None:
                return test, *call
        raise Ruling(Verdict.NOT_MEASURED, "All inputs are too large for this GPU.")


@dataclass(frozen=True, kw_only=True)
class _Measured(GpuFast):
    """As `GpuFast`, with sides whose inputs and expected outputs come from the oracle."""

    oracle: ProblemProcess
    test: int
    weights: int
    kinds: tuple[str, ...] = field(default=())

    def of_baseline(self) -> DeviceWorkload:
        """Return the submission's workload: the baseline computes the same problem."""
        return self.workload

    def _side(
        self,
        worker: WorkerConnection,
        candidate: Candidate,
        workload: DeviceWorkload,
        card: Card,
        session: Session,
        free: int,
    ) -> TimedDeviceWorker:
        return TimedProblemWorker(
            worker, candidate, workload, card, session.seeds, free, session.budget,
            oracle=self.oracle, test=self.test, weights=self.weights, kinds=self.kinds,
        )  # fmt: skip

    def _limit(self, ceiling: Ceiling, side: TimedDeviceWorker) -> Limit:
        """Return the limit by bytes moved, not by operations.

        Another algorithm may need fewer operations than the problem's own code.
        """
        moved = self.fewest_bytes(side.calls[0].spec)
        operations = 0 if self.fewest_flops is None else self.fewest_flops(side.calls[0].spec)
        return Limit(
            moved / ceiling.bytes_per_s, moved, ceiling.bytes_per_s,
            operations or None, ceiling.flops_per_s,
        )  # fmt: skip
