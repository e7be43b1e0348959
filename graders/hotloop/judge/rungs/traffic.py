"""Rung: how many bytes the kernels load and store, against the fewest that the task needs.

The launches that the learner's function makes are replayed in a process that holds the vetted
kernels and nothing else of the learner's, on inputs drawn after the launches were recorded. Points
follow the counted bytes only when that replay's answer is right and stayed inside its tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.calls import Arena, Call
from hotloop.judge.check import Candidate
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.fault import JudgeFault
from hotloop.judge.link import Link
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, fill, require_agreement, ruling_about
from hotloop.judge.rungs.launches import (
    INTERPRETED,
    Recorded,
    kernel_process,
    parameter_name,
    recorded,
    tensor_name,
)
from hotloop.judge.verdict import Ruling, Verdict

COUNTING_SLACK = 0.98
"""Below this share of the fewest bytes the check's own figure is not believed any more."""

REPEATED = 1.02
"""A tensor is called read or written too often above this many times."""


@dataclass(frozen=True)
class ByteLevel:
    """At most `factor` times the fewest bytes earns this share of the rung's points."""

    factor: float
    earned: float


@dataclass(frozen=True)
class TensorTraffic:
    """What was moved from and to one tensor of `size` bytes; temporaries have size 0."""

    name: str
    size: int
    loaded: int
    stored: int


@dataclass(frozen=True)
class Traffic:
    """Bytes loaded and stored by one call, each row of a block read and written once at best.

    case: made from a secret generator. Rows should fit in a block, and some values be too large
        for an exponential without its maximum, so that a shortcut in the launcher shows.
    reference, tolerance: as in `Correct`.
    fewest_bytes: of the case, every needed element read once and every result written once.
    advice: one sentence, for who moves too much.
    """

    case: Callable[[np.random.Generator], Case]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    fewest_bytes: Callable[[Case], int]
    levels: Sequence[ByteLevel] = (ByteLevel(1.05, 1.0), ByteLevel(1.5, 0.5))
    advice: str = "Load every element once, keep it in registers, and store each result once."
    needs: tuple[str, ...] = ("correct",)
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Record the launches, replay the kernels alone, compare, count."""
        case, tensors = self.replay(candidate, bench)
        return self._rule(name, tensors, self.fewest_bytes(case))

    def replay(self, candidate: Candidate, bench: Bench) -> tuple[Case, list[TensorTraffic]]:
        """What one call moves. Ruling when its kernels alone do not give the right answer."""
        case = self.case(bench.seeds.generator())
        told = recorded(case, candidate, bench, bench.patience(self.timeout_s))
        bench.progress("running the kernels alone")
        with ruling_about(case), kernel_process(bench, "triton_replay", INTERPRETED) as link:
            return case, self._replay(case, told, link, bench)

    def _replay(self, case: Case, told: Recorded, link: Link, bench: Bench) -> list[TensorTraffic]:
        arena = Arena([case.spec], seal_inputs=False)
        try:
            call = arena.calls[0]
            fill(call, case)
            call.poison_output(bench.seeds.pattern())
            timeout = bench.patience(self.timeout_s)
            link.map(arena.buffers)
            reply = link.request(_request(call, told, bench.seeds.generator()), timeout)
            if "fault" in reply:
                raise _ruling(_object(reply["fault"]), told)
            self._require_right(case, call.output_values())
            return _traffic(reply, told, call)
        finally:
            arena.close()

    def _require_right(self, case: Case, answer: Floats) -> None:
        try:
            require_agreement(case, answer, self.reference, self.tolerance(case))
        except Ruling as ruling:
            raise Ruling(
                ruling.verdict,
                "run alone, on new inputs, with its programs in any order, and without what the "
                f"launcher does in PyTorch, your kernel gives another answer. {ruling.sentence}",
            ) from None

    def _rule(self, name: str, tensors: Sequence[TensorTraffic], fewest: int) -> RungRecord:
        loaded, stored = sum(t.loaded for t in tensors), sum(t.stored for t in tensors)
        factor = (loaded + stored) / fewest
        evidence = {
            "loaded_bytes": loaded,
            "stored_bytes": stored,
            "fewest_bytes": fewest,
            "factor": round(factor, 4),
            "tensors": [_evidence(t) for t in tensors],
        }
        if factor < COUNTING_SLACK:
            sentence = (
                f"It moves {factor:.2f}× of what this task was thought to need at least: "
                "show it to your instructor."
            )
            return RungRecord(name, Verdict.IMPLAUSIBLE, sentence, evidence=evidence)
        earned = max((lv.earned for lv in self.levels if factor <= lv.factor), default=0.0)
        if earned >= 1:
            sentence = f"Moves {factor:.2f}× the fewest bytes possible."
            return RungRecord(name, Verdict.PASSED, sentence, earned, evidence=evidence)
        verdict = Verdict.PARTIAL if earned else Verdict.TOO_SLOW
        sentence = f"Your kernel moves {factor:.2f}× the fewest bytes: {_excess(tensors)}. "
        return RungRecord(name, verdict, sentence + self.advice, earned, evidence=evidence)


def _request(call: Call, told: Recorded, rng: np.random.Generator) -> dict[str, Any]:
    places = [*call.places, call.out]
    return {
        "op": "replay",
        "source": told.source.text,
        "tensors": [None if place is None else place.to_message() for place in places],
        "writable": [len(places) - 1],
        "plan": told.plan.to_message(),
        "seed": int(rng.integers(1 << 62)),
    }


def _traffic(reply: Mapping[str, Any], told: Recorded, call: Call) -> list[TensorTraffic]:
    sizes = {
        index: int(np.prod(place.shape)) * place.dtype.bytes
        for index, place in enumerate([*call.places, call.out])
        if place is not None
    }
    traffic: list[TensorTraffic] = []
    for entry in cast(list[dict[str, Any]], reply["traffic"]):
        tensor, index = str(entry["tensor"]), int(entry["index"])
        size = sizes[index] if tensor == "argument" else 0
        name = tensor_name(told.plan, tensor, index)
        traffic.append(
            TensorTraffic(name, size, int(entry["loaded_bytes"]), int(entry["stored_bytes"]))
        )
    return traffic


def _evidence(tensor: TensorTraffic) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "bytes": tensor.size,
        "loaded_bytes": tensor.loaded,
        "stored_bytes": tensor.stored,
    }


def _excess(tensors: Sequence[TensorTraffic]) -> str:
    """What is moved more often than once, in one clause."""
    clauses: list[str] = []
    for tensor in tensors:
        if not tensor.size:
            moved = tensor.loaded + tensor.stored
            clauses += (
                [f"it moves {moved} bytes through temporary `{tensor.name}`"] if moved else []
            )
            continue
        for what, moved in (("reads", tensor.loaded), ("writes", tensor.stored)):
            times = moved / tensor.size
            if times > REPEATED:
                clauses.append(f"it {what} `{tensor.name}` {times:.1f} times")
            elif what == "reads" and moved and tensor.stored:
                clauses.append(f"it reads `{tensor.name}` back after writing it")
    return ", ".join(clauses) or "it moves more than it needs"


def _ruling(fault: Mapping[str, Any], told: Recorded) -> Ruling:
    place = told.source.place(fault.get("line"))
    launch = told.plan.launches[int(fault["launch"])]
    kind = fault.get("kind")
    if kind == "error":
        message = str(fault.get("message", "")).partition("\n")[0]
        return Ruling(
            Verdict.RUNTIME_ERROR, f"{place}: `{launch.kernel}` raised {fault['type']}: {message}"
        )
    tensor, index = fault["tensor"]
    name = parameter_name(launch, tensor, index) or tensor_name(told.plan, tensor, index)
    what = _misdeed(str(kind), str(fault["access"]), f"`{name}`", fault)
    return Ruling(Verdict.WRONG_ANSWER, f"{place}: `{launch.kernel}` {what}.")


def _misdeed(kind: str, access: str, name: str, fault: Mapping[str, Any]) -> str:
    distance = int(fault["distance"])
    if kind == "read_only":
        return f"writes to its input {name}: write to the output only"
    if kind == "uninitialised":
        return (
            f"reads from the temporary {name} what no kernel wrote there: what the launcher "
            "computes in PyTorch does not count, so compute it in a kernel"
        )
    if kind == "gap":
        return f"{access}s between the rows of {name}: use its row stride and mask the columns"
    if kind != "outside":
        raise JudgeFault(f"the replay names an unknown fault {kind!r}")
    if fault["far"]:
        return f"{access}s far outside {name}: check the offsets and the mask"
    side = "past the end" if distance > 0 else "before the start"
    return f"{access}s {abs(distance)} bytes {side} of {name}: mask what lies outside"


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise JudgeFault("the replay's answer is not an object")
    return cast(Mapping[str, Any], value)
