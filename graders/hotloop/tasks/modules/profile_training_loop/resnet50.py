"""Checks that a network was trained under the profiler, in float32 and with bfloat16 autocast.

In place of ResNet-50 it gets one of drawn sizes, which draws as it runs how often it goes through
each block: what convolutions the recorded steps hold is known to the judge, and to whoever watched
the run. Steps and batch size are random in each session.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.profile_training_loop.hidden_loops import (
    FLOAT32,
    Convolutions,
    Shape,
    UnseenNetwork,
)
from hotloop.tasks.modules.profile_training_loop.pictures import SIDE
from hotloop.tasks.modules.profile_training_loop.trace_recorded import (
    path_in,
    recorded_by,
    trace_of,
)

TYPES = {"float32": FLOAT32, "bfloat16": "c10::BFloat16"}
"""The keys of the answer, and the type names of a convolution's input in a trace."""

CONVOLUTION, BACKWARD = "aten::convolution", "aten::convolution_backward"
SKIPPED = 2
"""Minimum number of steps before the recorded ones; the first steps allocate and autotune."""

MOST_BEFORE, MOST_BESIDE = 50, 5
"""Calls of the network before the recorded steps: the profiler's steps, and others to warm up."""

RELATIVE = 0.02
TIMEOUT_S = 300.0

Event = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A recorded run. step_us: median duration of its steps."""

    numbers: tuple[int, ...]
    step_us: float
    convolutions: Convolutions
    backwards: int
    updates: int


@dataclass(frozen=True)
class Recording:
    """The answer, and both runs as the judge read them from its files."""

    reported: Mapping[str, Any]
    network: UnseenNetwork
    steps: int
    batch: int
    runs: Mapping[str, Run]


def float32(session: Session) -> str:
    """Require the float32 trace to show training steps of the network."""
    recording = _recorded(session)
    _require_network(recording, "float32")
    run = recording.runs["float32"]
    session.note(step_ms=run.step_us / 1000, batch=recording.batch)
    return f"{recording.steps} steps, {run.step_us / 1000:.0f} ms each (median)."


@check(after=("float32",))
def bfloat16(session: Session) -> str:
    """Require the same in bfloat16, and the right speedup and the faster dtype in the answer."""
    recording = _recorded(session)
    _require_network(recording, "bfloat16")
    speedup = recording.runs["float32"].step_us / recording.runs["bfloat16"].step_us
    wrong = number_mismatch("speedup", recording.reported.get("speedup"), speedup, RELATIVE, 0.0)
    if wrong is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{wrong}: the median step in float32 by that under autocast, from your own traces.",
        )
    keep, faster = recording.reported.get("keep"), "bfloat16" if speedup > 1 else "float32"
    if keep != faster:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"keep is {shown(keep)}, and {faster} was faster in your traces.",
        )
    session.note(speedup=speedup)
    return f"Autocast made the step {speedup:.2f} times as fast here."


def _recorded(session: Session) -> Recording:
    return session.once("traces of the network", lambda: _record(session))


def _record(session: Session) -> Recording:
    rng = session.rng()
    steps, batch = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    blocks = tuple(int(count) for count in rng.integers(2, 4, 4))
    seed, width = int(rng.integers(1 << 30)), 4 * int(rng.integers(2, 5))
    network = UnseenNetwork(seed, width, blocks)
    worker = session.worker()
    arguments = (steps, batch, None, network.file())
    reported = recorded_by(worker, arguments, session.timeout(TIMEOUT_S))
    runs: dict[str, Run] = {}
    for key in TYPES:
        path = path_in(reported, key)
        # The reader checks whether it is a trace; it accepts files of any kind.
        trace = trace_of(worker, path)
        numbers = tuple(step.number for step in trace.steps)
        durations = [step.duration_us for step in trace.steps]
        runs[key] = _run(numbers, statistics.median(durations or [0.0]), get_file(worker, path))
    return Recording(reported, network, steps, batch, runs)


def _run(numbers: tuple[int, ...], step_us: float, data: bytes) -> Run:
    convolutions = Convolutions()
    backwards = updates = 0
    for event in events_of(data):
        name = event.get("name")
        if name == CONVOLUTION:
            arguments = as_message(event.get("args")) or {}
            images, weights, *_ = (*map(_shape, as_list(arguments.get("Input Dims"))), (), ())
            kind, *_ = (*map(str, as_list(arguments.get("Input type"))), "")
            convolutions[images, weights, kind] += 1
        backwards += name == BACKWARD
        updates += isinstance(name, str) and name.startswith("Optimizer.step#")
    return Run(numbers, step_us, convolutions, backwards, updates)


def events_of(data: bytes) -> list[Event]:
    """Return the events of a trace's file. Raises Ruling if it is none."""
    try:
        return [event for event in json.loads(data)["traceEvents"] if isinstance(event, dict)]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Ruling(
            Verdict.WRONG_ANSWER, "A trace must be plain JSON: export it as .json, not as .gz."
        ) from None


def _shape(value: object) -> Shape:
    return tuple(extent for extent in as_list(value) if isinstance(extent, int))


def _require_network(recording: Recording, key: str) -> None:
    for mismatch in _mismatches(recording.runs[key], recording, TYPES[key]):
        raise Ruling(Verdict.WRONG_ANSWER, f"In the {key} trace {mismatch}.")


def _mismatches(run: Run, recording: Recording, kind: str) -> Iterator[str]:
    steps, count = recording.steps, run.convolutions.total()
    if len(run.numbers) != steps:
        yield f"are {len(run.numbers)} steps (ProfilerStep#…), and {steps} were to be recorded"
    if min(run.numbers) < SKIPPED:
        yield f"is step {min(run.numbers)}: let {SKIPPED} steps pass first, they allocate memory"
    if not any(weights for _, weights, _ in run.convolutions):
        yield "no convolution has its shapes (record_shapes)"
    batches = {images for images, *_ in run.convolutions if images[1:] == (3, SIDE, SIDE)}
    if batches != {(recording.batch, 3, SIDE, SIDE)}:
        yield f"the inputs are {sorted(batches)}, not batches of {recording.batch} pictures"
    possible = _possible(run, recording, kind)
    if _shapes(run.convolutions) not in map(_shapes, possible):
        yield (
            f"are {count} convolutions in {steps} steps, and they are not those of the network in "
            "the given file: its RESNET50, called once a step"
        )
    if run.backwards != count:
        yield f"are {run.backwards} backward convolutions, not {count}"
    if run.updates != steps:
        yield f"are {run.updates} steps of an optimizer, not {steps}"
    if run.convolutions not in possible:
        kinds = Counter(each for *_, each in run.convolutions.elements())
        yield (
            f"the convolutions' inputs are {dict(kinds)}, and all should be {kind} but those "
            "that the given network computes in float32 by itself"
        )


def _shapes(convolutions: Convolutions) -> Counter[tuple[Shape, Shape]]:
    return Counter((images, weights) for images, weights, _ in convolutions.elements())


def _possible(run: Run, recording: Recording, kind: str) -> list[Convolutions]:
    """Return the convolutions of so many calls one after the other, beginning with each."""
    calls = list(
        islice(recording.network.calls(recording.batch, kind), MOST_BEFORE + recording.steps)
    )
    earliest = min(run.numbers)
    return [
        sum(calls[first : first + recording.steps], Convolutions())
        for first in range(earliest, min(earliest + MOST_BESIDE, MOST_BEFORE) + 1)
    ]
