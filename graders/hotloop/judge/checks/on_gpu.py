"""Correct answers on the GPU, for inputs in device memory that the judge allocates."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.buffers import TensorPlacement, extent_bytes
from hotloop.judge.calls import PlacedCall
from hotloop.judge.candidate import ON_GPU, Candidate, Kind
from hotloop.judge.checks.correct import (
    Case,
    InputTensor,
    Require,
    Running,
    frozen,
    require_fit,
    ruling_about,
)
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import poison, to_float64, to_storage
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.memory import DeviceBuffer, Layout, Loan
from hotloop.judge.gpu.replay import explained, kernels_alone, one_claim
from hotloop.judge.gpu.workers import candidate_worker, card_for, require_capability
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.worker.device import OUT_OF_MEMORY, CudaError


@dataclass(frozen=True)
class OnGpu:
    """A GPU, with the tensors in its memory. The reference in NumPy is computed on the CPU.

    after: names of the checks that must pass first, where the check's own `after` does not say.
    capability: the major compute capability that a kernel is for, such as 9; None for any GPU.
    alone: the function launches Triton kernels, and they must give the right answer without it.
    """

    after: tuple[str, ...] = ("correct",)
    capability: int | None = None
    case_timeout_s: float = 120.0
    alone: bool = False

    @property
    def can_judge(self) -> frozenset[Kind]:
        """As of `Check`."""
        return ON_GPU

    @contextmanager
    def running(self, session: Session, timeout_s: float) -> Generator[Running]:
        """Yield the candidate in a worker that may use the GPU."""
        card = card_for(session)
        require_capability(card, self.capability)
        session.note(gpu=card.facts.name)
        with candidate_worker(session, card) as worker:
            where = f" on the {card.facts.name}"
            driver, candidate, seeds = card.driver, session.candidate, session.seeds
            if not self.alone:
                yield Running(runs_on(driver, worker, candidate, seeds, timeout_s), where)
                return
            reported: list[ReportedCall] = []
            yield Running(reporting(driver, worker, candidate, seeds, timeout_s, reported), where)
        answer_alone(session, card, reported, timeout_s)


def runs_on(
    driver: Driver, worker: WorkerConnection, candidate: Candidate, seeds: Seeds, timeout_s: float
) -> Callable[[Case, Require], None]:
    """Return the function that computes a case and compares its answer while all is frozen."""

    def run(case: Case, require: Require) -> None:
        answer = ask(case, candidate, worker, driver, seeds, timeout_s)
        with frozen(worker):
            require(answer)

    return run


@dataclass(frozen=True)
class ReportedCall:
    """A case that the function has answered, and what its worker says of its launches."""

    case: Case
    require: Require
    claim: object


def reporting(
    driver: Driver,
    worker: WorkerConnection,
    candidate: Candidate,
    seeds: Seeds,
    timeout_s: float,
    reported: list[ReportedCall],
) -> Callable[[Case, Require], None]:
    """As `runs_on`; `reported` gets each case that has something to launch."""

    def run(case: Case, require: Require) -> None:
        replies: list[Message] = []
        answer = ask(case, candidate, worker, driver, seeds, timeout_s, replies)
        with frozen(worker):
            require(answer)
        if 0 not in case.spec.out.shape:
            reported.append(ReportedCall(case, require, one_claim(replies[0])))

    return run


def answer_alone(
    session: Session, card: Card, reported: Sequence[ReportedCall], timeout_s: float
) -> None:
    """Have the kernels alone answer the cases again. Raises Ruling if one answer is wrong."""
    session.progress("running the kernels alone")
    programs = [{one.case.spec: one.claim} for one in reported]
    with kernels_alone(session, card, programs) as (worker, candidates):
        for one, candidate in zip(reported, candidates, strict=True):
            with ruling_about(one.case), explained():
                worker.resolve(candidate.name, candidate.file, timeout_s)
                answer = ask(one.case, candidate, worker, card.driver, session.seeds, timeout_s)
                with frozen(worker):
                    one.require(answer)


def ask(
    case: Case,
    candidate: Candidate,
    worker: WorkerConnection,
    driver: Driver,
    seeds: Seeds,
    timeout_s: float,
    watched: list[Message] | None = None,
) -> Floats:
    """Return the candidate's output for one case, read from device memory while it is frozen.

    watched: gets the worker's reply with the launches of the call; None: they are not recorded.
    """
    layout = Layout.of([case.spec])
    call = layout.calls[0]
    destination = candidate.style == "destination"
    plan = {
        "op": "device_plan",
        "buffers": layout.describe(driver.granularity()),
        "calls": layout.messages(destination=destination),
        "framework": candidate.framework,
        "style": candidate.style,
        "watch": None if watched is None else "launches",
    }
    worker.request(plan, timeout_s)
    with _lent(driver, layout) as loan:
        _fill(driver, loan.inputs, call, case)
        _poison(driver, loan.outputs, call.out, seeds.pattern())
        reply = run(worker, loan, timeout_s)
        if watched is not None:
            watched.append(reply)
        with frozen(worker):
            require_fit(call, candidate, reply)
            _require_inputs_kept(driver, loan.inputs, call, case)
            raw = read(driver, loan.outputs, call.out)
    worker.request({"op": "device_unmap"}, timeout_s)
    return to_float64(raw.copy(), call.out.dtype)


def _lent(driver: Driver, layout: Layout) -> Loan:
    try:
        return Loan(driver, layout)
    except CudaError as error:
        if error.code != OUT_OF_MEMORY:
            raise
        raise Ruling(
            Verdict.MEMORY_LIMIT, "Your process has filled the GPU's memory: allocate less."
        ) from None


def read(driver: Driver, buffer: DeviceBuffer, place: TensorPlacement) -> NDArray[Any]:
    """Copy a tensor's raw elements from device memory to the host."""
    span = driver.to_host(buffer.address + place.offset, _span(place))
    return _strided(span, place)


def run(worker: WorkerConnection, loan: Loan, timeout_s: float) -> Message:
    """Lend the device memory to a worker that has its plan; wait until it has made the calls."""
    with loan.descriptors() as fds:
        return worker.request({"op": "device_run"}, timeout_s, fds)


def _fill(driver: Driver, buffer: DeviceBuffer, call: PlacedCall, case: Case) -> None:
    for place, argument in _tensors(call, case):
        span = bytearray(_span(place))
        _strided(span, place)[...] = to_storage(argument.values, place.dtype)
        if span:
            driver.to_device(buffer.address + place.offset, bytes(span))


def _poison(driver: Driver, buffer: DeviceBuffer, place: TensorPlacement, pattern: int) -> None:
    span = poison(_span(place) // place.dtype.bytes, place.dtype, pattern).tobytes()
    if span:
        driver.to_device(buffer.address + place.offset, span)


def _require_inputs_kept(
    driver: Driver, buffer: DeviceBuffer, call: PlacedCall, case: Case
) -> None:
    for place, argument in _tensors(call, case):
        original = to_storage(argument.values, place.dtype)
        if read(driver, buffer, place).tobytes() != original.tobytes():
            raise Ruling(
                Verdict.WRONG_ANSWER, "Your function changed its input: write to new memory."
            )


def _tensors(call: PlacedCall, case: Case) -> list[tuple[TensorPlacement, InputTensor]]:
    return [
        (place, argument)
        for place, argument in zip(call.places, case.arguments, strict=True)
        if place is not None and isinstance(argument, InputTensor)
    ]


def _strided(span: bytearray, place: TensorPlacement) -> NDArray[Any]:
    strides = [s * place.dtype.bytes for s in place.strides]
    return np.ndarray(place.shape, place.dtype.storage, buffer=span, strides=strides)


def _span(place: TensorPlacement) -> int:
    return extent_bytes(place.shape, place.strides, place.dtype)
