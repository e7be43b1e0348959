"""Judged calls of a learner's Triton function: recorded, then replayed without its Python code."""

import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import NotInterpreted, Ruling, Verdict
from hotloop.judge import launch_plan
from hotloop.judge.author_guard import Authored
from hotloop.judge.calls import CallBuffers, CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.correct import Case, Truth, call, fill, ruling_about
from hotloop.judge.checks.kernel_process import kernel_process
from hotloop.judge.compare import Floats
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.kernel_source import KernelSource, mentioned, vet
from hotloop.judge.launch_plan import Launch, Plan, Pointer
from hotloop.judge.race_ruling import RaceRuling, hang, race
from hotloop.judge.same_shapes import same_shapes, with_values_of
from hotloop.judge.session import INTERPRETED, Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection, readable, reading

Rng = np.random.Generator

LAUNCHED: frozenset[Kind] = frozenset({"destination"})
"""How a function must be called whose launches are recorded."""

REPLAYS_S = 40.0
"""Time for replaying correctness cases, in random order; slow kernels are not replayed on every
case. Counted cases are always replayed."""


class OutsideRuling(Ruling):
    """A kernel accesses what lies outside of a tensor, or between its rows: WRONG_ANSWER."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Verdict.WRONG_ANSWER, sentence)


@dataclass(frozen=True)
class Recorded:
    """The launches that the worker reports for one call, and the kernels that they name."""

    plan: Plan
    source: KernelSource


@dataclass(frozen=True)
class TensorTraffic:
    """Bytes loaded from and stored to one tensor of `size` bytes; temporaries have size 0.

    by_row: its bytes if each row reads what is broadcast to it: see `CallSpec.bytes_by_row`.
    """

    name: str
    size: int
    loaded: int
    stored: int
    by_row: int


@dataclass(frozen=True)
class Judged:
    """The result, if all calls and all replays were correct.

    cases: number of correctness cases; `replayed` of them were also replayed by the kernels alone.
    counted: the counted cases with the memory traffic of their replays.
    waves: for each of them, bytes loaded if a cache keeps what `resident` consecutive programs
        share.
    compiled: launches that a `TritonCompiles` check compiles.
    every: each call that was made, with its launches.
    """

    cases: int
    replayed: int
    counted: Sequence[tuple[Case, Sequence[TensorTraffic]]]
    waves: Sequence[int]
    compiled: Sequence[Recorded]
    every: Sequence[tuple[CallSpec, Recorded]]


@dataclass(frozen=True)
class _PlannedCall:
    """One call to make. again: returns the same case with newly sampled values."""

    case: Case
    again: Callable[[], Case]
    kind: str


@dataclass(frozen=True)
class TritonKernelCalls(Authored):
    """The calls of a Triton function, shared by all checks that inspect them.

    truth: the correctness cases and what is right, by a function in NumPy.
    counted: generates a short case whose bytes are counted; `counted_calls` of them are mixed with
        the others.
    compiled: generates the case whose launches are compiled for GPUs; None: the counted ones. Give
        one that is wider than `counted` where `max_spill_bytes` must be able to fail.
    resident: number of consecutive programs that share the cache of `Judged.waves`.
    """

    truth: Truth
    counted: Callable[[Rng], Case]
    compiled: Callable[[Rng], Case] | None = None
    counted_calls: int = 3
    resident: int = 16
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        """Raise ValueError if no call would be counted."""
        super().__post_init__()
        if self.counted_calls < 1:
            raise ValueError(f"`counted_calls` of TritonKernelCalls is {self.counted_calls}")

    def judged(self, session: Session) -> Judged:
        """Make all calls and replay them, once for all checks. Raises Ruling if one is wrong."""
        if session.candidate.file is None or session.candidate.style != "destination":
            raise JudgeFault("only a function in a file that fills a tensor has launches to record")
        key = f"calls of {session.candidate.name}"
        return session.once(key, lambda: self._judged(session))

    def _judged(self, session: Session) -> Judged:
        with ours("making the cases"):
            planned = self._planned_calls(session)
        try:
            claims = [self._claim(one.case, session) for one in planned]
        except Ruling as ruling:
            if ruling.verdict is Verdict.RUNTIME_ERROR:
                _require_language(session)
            raise
        plans = [_plan(one.case, claim) for one, claim in zip(planned, claims, strict=True)]
        recorded = _recorded(planned, plans, session)
        session.progress("running the kernels alone")
        with kernel_process(session, "triton_replay", INTERPRETED) as worker:
            return self._replayed(planned, recorded, worker, session)

    def _planned_calls(self, session: Session) -> list[_PlannedCall]:
        """Return the correctness cases in order, with the other cases at random positions."""
        make = same_shapes(session.seeds)
        cases = list(self.truth.cases(make()))
        again = cache(lambda: list(self.truth.cases(make())))
        planned = [
            _PlannedCall(case, lambda index=index: again()[index], "correct")
            for index, case in enumerate(cases)
        ]
        others = [("counted", self.counted)] * self.counted_calls
        if self.compiled is not None:
            others.append(("compiled", self.compiled))
        rng = session.rng()
        for kind, builder in others:
            one = _twice(builder, kind, session)
            planned.insert(int(rng.integers(len(planned) + 1)), one)
        return planned

    def _claim(self, case: Case, session: Session) -> object:
        """Return the worker's report of the call's launches, after comparing the call's answer."""
        with ruling_about(case), interpreted():
            worker, timeout_s = session.worker(), session.timeout(self.timeout_s)
            require = self.truth.require(case)
            answer, reply = call(case, worker, session, timeout_s, watch="launches")
            require(answer)
        claims = reply.get("watched")
        if not isinstance(claims, list) or len(claims) != 1:  # pyright: ignore[reportUnknownArgumentType]
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
        return claims[0]  # pyright: ignore[reportUnknownVariableType]

    def _replayed(
        self,
        planned: Sequence[_PlannedCall],
        recorded: Sequence[Recorded],
        worker: WorkerConnection,
        session: Session,
    ) -> Judged:
        counted: list[tuple[Case, Sequence[TensorTraffic]]] = []
        waves: list[int] = []
        started, replayed = time.monotonic(), 0
        for index in _order(planned, session.rng()):
            one = planned[index]
            if one.kind == "correct" and time.monotonic() - started > REPLAYS_S:
                continue
            with ours("making the case again"):
                case = with_values_of(one.case, one.again())
            with ruling_about(case):
                moved, wave_bytes = self._replay(case, recorded[index], worker, session)
            replayed += one.kind == "correct"
            if one.kind == "counted":
                counted.append((case, moved))
                waves.append(wave_bytes)
        kinds = [one.kind for one in planned]
        compiled = "counted" if self.compiled is None else "compiled"
        return Judged(
            cases=kinds.count("correct"),
            replayed=replayed,
            counted=counted,
            waves=waves,
            compiled=[r for r, kind in zip(recorded, kinds, strict=True) if kind == compiled],
            every=[(one.case.spec, r) for one, r in zip(planned, recorded, strict=True)],
        )

    def _replay(
        self, case: Case, reported: Recorded, worker: WorkerConnection, session: Session
    ) -> tuple[list[TensorTraffic], int]:
        def once() -> Replayed:
            timeout_s = session.timeout(self.timeout_s)
            done = replay(case, reported, worker, session, timeout_s, resident=self.resident)
            if done.race is not None:
                raise done.race
            self._require_right(case, done.answer, done.undefined)
            return done

        done = in_two_orders(once)
        return done.traffic, done.wave_bytes

    def _require_right(self, case: Case, answer: Floats, undefined: bool) -> None:
        require = self.truth.require(case)
        try:
            require(answer)
        except Ruling as ruling:
            raise Ruling(
                ruling.verdict,
                "your function's answer was right, but its kernels alone give another one on new "
                "values of the same shape (programs run in random order, nothing that the launcher "
                f"does in PyTorch counts). {ruling.sentence}{_UNDEFINED if undefined else ''}",
            ) from None


@dataclass(frozen=True)
class Replayed:
    """What the kernels alone made of a case.

    undefined: a load left lanes without a value. race: between programs, in this order. ordered:
    programs synchronize, so that another order may show another race.
    """

    answer: Floats
    undefined: bool
    race: RaceRuling | None
    ordered: bool
    traffic: list[TensorTraffic]
    wave_bytes: int


def in_two_orders(once: Callable[[], Replayed]) -> Replayed:
    """Replay, and again in another order if that may show more; return the first."""
    done = once()
    if done.ordered:
        once()
    return done


def replay(
    case: Case,
    reported: Recorded,
    worker: WorkerConnection,
    session: Session,
    timeout_s: float,
    *,
    resident: int = 1,
    writable: Sequence[int] = (),
    returned: Sequence[tuple[Pointer, int]] = (),
) -> Replayed:
    """Run the recorded kernels on a case in the process of `worker`. Ruling for a fault.

    writable: arguments that kernels may write to, besides the output. returned: places and sizes in
        bytes of what is put into the output afterwards, where the kernels do not write to it.
    """
    buffers = CallBuffers([case.spec], seal_inputs=False)
    try:
        placed = buffers.calls[0]
        fill(placed, case)
        placed.poison_output(session.seeds.pattern())
        worker.map(buffers.buffers)
        request = {
            **_request(placed, reported, session.rng(), writable),
            "returned": [{**place.to_message(), "bytes": size} for place, size in returned],
            "resident": resident,
        }
        with interpreted():
            reply = worker.request(request, timeout_s)
        worker.request({"op": "unmap"}, 10)
        with reading():
            if "fault" in reply:
                raise _ruling(reply["fault"], reported)
            return Replayed(
                answer=placed.output_values(),
                undefined=bool(reply["undefined"]),
                race=reply["race"] and _race(reply["race"], reported),
                ordered=bool(reply["ordered"]),
                traffic=_traffic(reply, reported, placed),
                wave_bytes=int(reply["wave_bytes"]),
            )
    finally:
        buffers.close()


@contextmanager
def interpreted() -> Generator[None]:
    """Add to the ruling about a call that does not end in time what runs its kernels."""
    try:
        yield
    except Ruling as ruling:
        if ruling.verdict is Verdict.TIMEOUT:
            ruling.sentence += _SLOW
        raise


_SLOW = (
    " Kernels run in Triton's interpreter here, where each operation on a tensor costs a call of "
    "Python's, however small the tensor: give fewer programs larger blocks, and let no loop step "
    "over single elements."
)

_UNDEFINED = (
    " A load has a mask and no `other`: where the mask is off, its values are undefined on a GPU, "
    "and NaN or a large number here. Name `other`."
)


def _twice(builder: Callable[[Rng], Case], kind: str, session: Session) -> _PlannedCall:
    make = same_shapes(session.seeds)
    return _PlannedCall(builder(make()), lambda: builder(make()), kind)


def _order(planned: Sequence[_PlannedCall], rng: Rng) -> list[int]:
    """Return all indices in random order, with the correctness cases last.

    Those are the ones left out if time runs out.
    """
    order = [int(i) for i in rng.permutation(len(planned))]
    return sorted(order, key=lambda i: planned[i].kind == "correct")


def _require_language(session: Session) -> None:
    """Raise Ruling if a kernel that the function names cannot be vetted.

    Triton's interpreter often fails on such a kernel first, with an error that does not say why.
    """
    file = session.candidate.file or ""
    source = session.files.read_text(file)
    vet(source, mentioned(source, session.candidate.name, file), file)


def _plan(case: Case, claim: object) -> Plan:
    with ruling_about(case):
        return launch_plan.read(claim, len(case.arguments) + 1)


def _recorded(
    planned: Sequence[_PlannedCall], plans: Sequence[Plan], session: Session
) -> list[Recorded]:
    """Return the plans with their kernels, which are extracted from the candidate's file once."""
    file = session.candidate.file or ""
    names = {name for plan in plans for name in plan.kernels}
    source = vet(session.files.read_text(file), names, file)
    for one, plan in zip(planned, plans, strict=True):
        with ruling_about(one.case):
            launch_plan.require_fit(plan, source)
    return [Recorded(plan, source) for plan in plans]


def _request(
    placed: PlacedCall, reported: Recorded, rng: Rng, writable: Sequence[int]
) -> dict[str, Any]:
    places = [*placed.places, placed.out]
    return {
        "op": "replay",
        "source": reported.source.text,
        "tensors": [None if place is None else place.to_message() for place in places],
        "writable": [*writable, len(places) - 1],
        "plan": reported.plan.to_message(),
        "seed": int(rng.integers(1 << 62)),
    }


def _traffic(
    reply: Mapping[str, Any], reported: Recorded, placed: PlacedCall
) -> list[TensorTraffic]:
    sizes = {
        index: math.prod(place.shape) * place.dtype.bytes
        for index, place in enumerate([*placed.places, placed.out])
        if place is not None
    }
    by_row = [
        placed.spec.by_row(one) if isinstance(one, TensorSpec) else 0
        for one in placed.spec.arguments
    ] + [sizes[len(placed.places)]]
    traffic: list[TensorTraffic] = []
    for entry in cast(list[dict[str, Any]], reply["traffic"]):
        tensor, index = str(entry["tensor"]), int(entry["index"])
        size = sizes[index] if tensor == "argument" else 0
        name = _tensor_name(reported.plan.launches, tensor, index)
        loaded, stored = int(entry["loaded_bytes"]), int(entry["stored_bytes"])
        rows = by_row[index] if tensor == "argument" else 0
        traffic.append(TensorTraffic(name, size, loaded, stored, rows))
    return traffic


def _tensor_name(launches: Sequence[Launch], tensor: str, index: int) -> str:
    """Return a tensor's name for the learner: the first kernel parameter that received it."""
    for launch in launches:
        for name, value in launch.arguments.items():
            if isinstance(value, Pointer) and (value.tensor, value.index) == (tensor, index):
                return name
    return f"argument {index}" if tensor == "argument" else "a temporary tensor"


def _element(fault: Mapping[str, Any], reported: Recorded) -> str:
    """Return the faulty element as the kernel's launch names it: `out_ptr[3]`."""
    launch = reported.plan.launches[int(fault["launch"])]
    tensor, index = fault["tensor"]
    offset = int(fault["offset"])
    pointers = {
        name: one for name, one in launch.arguments.items()
        if isinstance(one, Pointer) and (one.tensor, one.index) == (tensor, index)
    }  # fmt: skip
    before = {name: one for name, one in pointers.items() if one.offset <= offset}
    if not before:
        return _tensor_name(reported.plan.launches, tensor, index)
    name = max(before, key=lambda name: before[name].offset)
    element = (offset - before[name].offset) // launch_plan.ELEMENT_BYTES[before[name].dtype]
    return f"{name}[{element}]"


def _race(fault: Mapping[str, Any], reported: Recorded) -> RaceRuling:
    lines = reported.source.lines
    accesses = [{**each, "line": lines.get(each["line"])} for each in fault["accesses"]]
    kernel = reported.plan.launches[int(fault["launch"])].kernel
    place = reported.source.place(fault["accesses"][-1]["line"])
    return race(place, kernel, _element(fault, reported), accesses)


def _ruling(fault: Mapping[str, Any], reported: Recorded) -> Ruling:
    kind = fault.get("kind")
    if kind == "race":
        return _race(fault, reported)
    place = reported.source.place(fault.get("line"))
    launch = reported.plan.launches[int(fault["launch"])]
    if kind == "hang":
        return hang(place, launch.kernel, _element(fault, reported), fault["program"])
    if kind == "error":
        error = readable(fault["type"], 80)
        message = readable(fault.get("message"), 300).partition("\n")[0]
        if error == NotInterpreted.__name__:
            return NotInterpreted(f"{place}: `{launch.kernel}`: {message}")
        return Ruling(
            Verdict.RUNTIME_ERROR, f"{place}: `{launch.kernel}` raised {error}: {message}"
        )
    tensor, index = fault["tensor"]
    name = _tensor_name([launch, *reported.plan.launches], tensor, index)
    what = _misdeed(str(kind), readable(fault["access"], 20), f"`{name}`", fault)
    sentence = f"{place}: `{launch.kernel}` {what}."
    if kind in {"outside", "gap"}:
        return OutsideRuling(sentence)
    return Ruling(Verdict.WRONG_ANSWER, sentence)


def _misdeed(kind: str, access: str, name: str, fault: Mapping[str, Any]) -> str:
    distance = int(fault["distance"])
    if kind == "read_only":
        return f"writes to its input {name}: write to the output only"
    if kind == "uninitialized":
        return (
            f"reads from the temporary {name} what no kernel wrote there: what the launcher "
            "computes in PyTorch does not count, so compute it in a kernel"
        )
    advice = f"give tl.{'load' if access == 'read' else 'store'} a `mask=`"
    if kind == "gap":
        return f"{access}s between the rows of {name}: use its row stride, and {advice}"
    advice += " that is false there"
    if kind != "outside":
        raise ValueError(f"the replay names an unknown fault {kind!r}")
    if fault["far"]:
        return f"{access}s far outside {name}: check the offsets, and {advice}"
    side = "past the end" if distance > 0 else "before the start"
    return f"{access}s {abs(distance)} bytes {side} of {name}: {advice}"
