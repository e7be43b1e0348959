"""Counts the bytes that a Triton submission's kernels move. They are reported and decide nothing.

The count works as in Hotloop's own tasks (`hotloop.judge.checks.triton_kernel_calls`): the launches
that the submission's process reports for the judged calls are only a claim. They are replayed on
other values, in a process that runs only the vetted kernels, and must give correct outputs there.
What PyTorch computes between kernels is not counted, so a submission that needs it gets no figure.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hotloop.author.external import SUBMISSION
from hotloop.author.external.own_work.check import ALONE
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge import launch_plan
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.kernel_process import kernel_process
from hotloop.judge.checks.triton_kernel_calls import (
    REPLAYS_S,
    Recorded,
    Replayed,
    in_two_orders,
    replay,
)
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import BOOL, U8, to_float64, to_storage
from hotloop.judge.kernel_source import vet
from hotloop.judge.launch_plan import Argument, Plan, Pointer
from hotloop.judge.race_ruling import RaceRuling
from hotloop.judge.session import INTERPRETED, Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection

if TYPE_CHECKING:
    from hotloop.author.external.checks import HiddenCall

NO_KERNEL = f"{SUBMISSION} has no Triton kernel"


@dataclass(frozen=True)
class JudgedCall:
    """A judged call.

    claim: the launches that the submission's process reports. reported: the oracle's `describe`.
    arguments: their number. digests: SHA-256 of each input. again: makes the same call with other
    values.
    """

    claim: object
    reported: Mapping[str, Any]
    arguments: int
    digests: tuple[str, ...]
    again: Callable[[], HiddenCall | None]


@dataclass(frozen=True)
class Moved:
    """Bytes that one call moved, and the fewest possible."""

    bytes: int
    fewest: int

    @property
    def factor(self) -> float:
        """Bytes moved, divided by the fewest possible."""
        return self.bytes / max(1, self.fewest)


def watch(session: Session) -> str | None:
    """Return what the worker records: launches, or None if the file does not mention Triton."""
    return "launches" if "triton" in session.files.read_text(SUBMISSION) else None


def watched(call: HiddenCall, reply: Any, again: Callable[[], HiddenCall | None]) -> JudgedCall:
    """Return a call whose answer was correct. Raises Ruling TAMPERED if the reply has no claim."""
    claims = as_list(reply.get("watched"))
    if len(claims) != 1:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    digests = tuple(map(_digest, call.inputs))
    return JudgedCall(claims[0], call.reported, len(call.case.arguments), digests, again)


def counted(calls: Sequence[JudgedCall], session: Session) -> str:
    """Return a clause with the largest multiple, or why there is none; record the figures.

    Raises Race if the kernels alone are right and race, and Ruling TAMPERED for a malformed claim.
    """
    try:
        counts = _counted(calls, session) if calls else []
        reason = "no call decides" if calls else NO_KERNEL
    except RaceRuling:
        raise
    except Ruling as ruling:
        if ruling.verdict is Verdict.TAMPERED:
            raise
        counts, reason = [], ruling.sentence.rstrip(".")
    if not counts:
        session.note(not_counted=reason)
        return f"bytes not counted: {reason}"
    session.once(ALONE, lambda: True)
    worst = max(counts, key=lambda moved: moved.factor)
    session.note(
        moved_bytes=worst.bytes,
        fewest_bytes=worst.fewest,
        factor=round(worst.factor, 4),
        counted_cases=len(counts),
    )
    return f"its kernels move {worst.factor:.2f}× the bytes of inputs and outputs"


def _counted(calls: Sequence[JudgedCall], session: Session) -> list[Moved]:
    """Count calls in random order while time is left. Raises Ruling if one cannot be counted."""
    plans = [launch_plan.read(one.claim, one.arguments) for one in calls]
    names = {name for plan in plans for name in plan.kernels}
    source = vet(session.files.read_text(SUBMISSION), names, SUBMISSION)
    for plan in plans:
        launch_plan.require_fit(plan, source)
    session.progress("counting bytes")
    until = time.monotonic() + min(REPLAYS_S, session.budget.remaining_s() / 2)
    result: list[Moved] = []
    with kernel_process(session, "triton_replay", INTERPRETED) as worker:
        for at in session.rng().permutation(len(calls)):
            one, reported = calls[int(at)], Recorded(plans[int(at)], source)
            if time.monotonic() > until:
                break
            if (again := one.again()) is not None:
                result.append(_moved(one, again, reported, worker, session))
    return result


def _moved(
    one: JudgedCall,
    again: HiddenCall,
    reported: Recorded,
    worker: WorkerConnection,
    session: Session,
) -> Moved:
    """Count the kernels alone, on the values of `again`. Raises Ruling if they are wrong there."""
    if any(again.reported[key] != one.reported[key] for key in ("inputs", "outputs")):
        raise _no("its sizes depend on its values")
    first = len(again.case.arguments) - len(again.inputs)
    digests = [*one.digests, *map(_digest, again.parameters)]
    plan, copies = _resolved(reported.plan, {first + at: it for at, it in enumerate(digests)})
    places = list(_places(plan, again.outputs))
    arguments = (*again.case.arguments, *again.parameters)
    out = TensorSpec((sum(size for _, size in places),), U8)

    def once() -> Replayed:
        try:
            done = replay(
                Case(again.case.label, arguments, out), replace(reported, plan=plan), worker,
                session, session.timeout(REPLAYS_S), writable=copies, returned=places,
            )  # fmt: skip
        except RaceRuling as race:
            raise _no(race.sentence.rstrip(".")) from None  # it gave no answer to compare
        try:
            again.require_right(again.joined(list(_parts(done.answer, again.outputs))))
        except Ruling as ruling:
            raise _no(f"its kernels alone give another answer ({ruling.sentence})") from None
        # Only now: where PyTorch computes between kernels, they get other numbers here, and may
        # race because of them.
        if done.race is not None:
            raise done.race
        return done

    done = in_two_orders(once)
    return Moved(sum(each.loaded + each.stored for each in done.traffic), again.fewest_bytes)


def _resolved(plan: Plan, digests: dict[int, str]) -> tuple[Plan, list[int]]:
    """Replace scratch tensors that began as copies of inputs or parameters by those arguments.

    Return the plan and the replaced arguments. Each argument replaces at most one copy, and none if
    the submission uses the argument itself.
    """
    places = [*plan.returned, *(a for one in plan.launches for a in one.arguments.values())]
    taken = {one.index for one in places if isinstance(one, Pointer) and one.tensor == "argument"}
    copies: dict[int, int] = {}
    for number, scratch in enumerate(plan.scratch):
        matches = (at for at, digest in digests.items() if digest == scratch.digest)
        if (at := next((at for at in matches if at not in taken), None)) is not None:
            copies[number] = at
            taken.add(at)

    def moved(place: Argument) -> Argument:
        if isinstance(place, Pointer) and place.tensor == "scratch" and place.index in copies:
            return replace(place, tensor="argument", index=copies[place.index])
        return place

    launches = [
        replace(one, arguments={name: moved(it) for name, it in one.arguments.items()})
        for one in plan.launches
    ]
    returned = [one and moved(one) for one in plan.returned]
    return replace(plan, launches=launches, returned=returned), [*copies.values()]


def _places(plan: Plan, outputs: Sequence[TensorSpec]) -> Iterator[tuple[Pointer, int]]:
    """Yield each output's place in the replay, and its size in bytes."""
    if len(plan.returned) != len(outputs):
        raise _no("what it returns is not what its kernels wrote")
    for place, spec in zip(plan.returned, outputs, strict=True):
        name = "i1" if spec.dtype is BOOL else spec.dtype.name
        if place is None or place.dtype != name:
            raise _no("an output is not contiguous, or has another dtype than the problem's own")
        yield place, spec.bytes


def _parts(raw: Floats, outputs: Sequence[TensorSpec]) -> Iterator[Floats]:
    """Yield the outputs from their bytes, which come as float64."""
    start, whole = 0, raw.astype(np.uint8)
    for spec in outputs:
        elements = whole[start : start + spec.bytes].view(spec.dtype.storage)
        start += spec.bytes
        yield to_float64(elements.reshape(spec.shape), spec.dtype)


def _digest(tensor: InputTensor) -> str:
    return hashlib.sha256(to_storage(tensor.values, tensor.dtype).tobytes()).hexdigest()


def _no(reason: str) -> Ruling:
    return Ruling(Verdict.NOT_MEASURED, reason)
