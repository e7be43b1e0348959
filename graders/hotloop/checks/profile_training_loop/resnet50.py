"""Checks that ResNet-50 was trained under the profiler, in float32 and with bfloat16 autocast.

The traces show that it was ResNet-50: the shapes of all convolution weights, and the batches that
enter the first convolution. Steps and batch size are random in each session.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hotloop.checks.profile_training_loop.network import RESNET50
from hotloop.checks.profile_training_loop.pictures import SIDE
from hotloop.checks.profile_training_loop.trace_recorded import trace_of
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import ask_plainly, number_mismatch, put_folder, shown
from hotloop.judge.rung import rung
from hotloop.judge.session import Session

TYPES = {"float32": "float", "bfloat16": "c10::BFloat16"}
"""The keys of the answer, and the type names of a convolution's input in a trace."""

CONVOLUTION, BACKWARD = "aten::convolution", "aten::convolution_backward"
WEIGHTS = Counter(layer.shape for layer in RESNET50.layers if len(layer.shape) == 4)
"""Shapes of the 53 convolution weights, with counts."""

SKIPPED = 2
"""Minimum number of steps before the recorded ones; the first steps allocate and autotune."""

RELATIVE = 0.02
TIMEOUT_S = 300.0

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """A recorded run. step_us: median duration of its steps. types: of the convolutions' inputs."""

    numbers: tuple[int, ...]
    step_us: float
    weights: Counter[tuple[int, ...]]
    batches: frozenset[tuple[int, ...]]
    types: Counter[str]
    backwards: int
    updates: int


@dataclass(frozen=True)
class Recorded:
    """The answer, and both runs as the judge read them from its files."""

    reported: Mapping[str, Any]
    steps: int
    batch: int
    runs: Mapping[str, Run]


@rung(instrumented=True)
def float32(session: Session) -> str:
    """Require the float32 trace to show training steps of ResNet-50."""
    found = _recorded(session)
    _require_resnet50(found, "float32")
    run = found.runs["float32"]
    session.note(step_ms=run.step_us / 1000, batch=found.batch)
    return f"{found.steps} steps of ResNet-50, {run.step_us / 1000:.0f} ms each (median)."


@rung(after=("float32",), instrumented=True)
def bfloat16(session: Session) -> str:
    """Require the same in bfloat16, and the right speedup and the faster dtype in the answer."""
    found = _recorded(session)
    _require_resnet50(found, "bfloat16")
    speedup = found.runs["float32"].step_us / found.runs["bfloat16"].step_us
    wrong = number_mismatch("speedup", found.reported.get("speedup"), speedup, RELATIVE, 0.0)
    if wrong is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{wrong}: the median step in float32 by that under autocast, from your own traces.",
        )
    faster = "bfloat16" if speedup > 1 else "float32"
    if found.reported.get("keep") != faster:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"keep is {shown(found.reported.get('keep'))}, and {faster} was faster in your traces.",
        )
    session.note(speedup=speedup)
    return f"Autocast made the step {speedup:.2f} times as fast here."


def _recorded(session: Session) -> Recorded:
    return session.once("traces of ResNet-50", lambda: _record(session))


def _record(session: Session) -> Recorded:
    rng = session.rng()
    steps, batch = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    worker = session.worker()
    arguments = (put_folder(worker), steps, batch)
    reported = as_message(ask_plainly(worker, arguments, session.timeout(TIMEOUT_S)))
    if reported is None:
        raise Ruling(Verdict.WRONG_ANSWER, "It must return a dict with the two paths.")
    runs: dict[str, Run] = {}
    for key in TYPES:
        path = reported.get(key)
        if not isinstance(path, str):
            raise Ruling(Verdict.WRONG_ANSWER, f"{key} is {shown(path)}, not the path of a trace.")
        # The reader checks whether it is a trace; it accepts files of any kind.
        trace = trace_of(worker, path)
        numbers = tuple(step.number for step in trace.steps)
        durations = [step.duration_us for step in trace.steps]
        runs[key] = _run(numbers, statistics.median(durations or [0.0]), get_file(worker, path))
    return Recorded(reported, steps, batch, runs)


def _run(numbers: tuple[int, ...], step_us: float, data: bytes) -> Run:
    weights: Counter[tuple[int, ...]] = Counter()
    batches: set[tuple[int, ...]] = set()
    types: Counter[str] = Counter()
    backwards = updates = 0
    for event in _events(data):
        name = event.get("name")
        if name == CONVOLUTION:
            arguments = as_message(event.get("args")) or {}
            shapes = [_shape(each) for each in as_list(arguments.get("Input Dims"))[:2]]
            weights.update(shapes[1:])
            batches.update(shape for shape in shapes[:1] if shape[1:] == (3, SIDE, SIDE))
            types.update(map(str, as_list(arguments.get("Input type"))[:1]))
        backwards += name == BACKWARD
        updates += isinstance(name, str) and name.startswith("Optimizer.step#")
    return Run(numbers, step_us, weights, frozenset(batches), types, backwards, updates)


def _events(data: bytes) -> list[Event]:
    try:
        return [event for event in json.loads(data)["traceEvents"] if isinstance(event, dict)]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Ruling(
            Verdict.WRONG_ANSWER, "A trace must be plain JSON: export it as .json, not as .gz."
        ) from None


def _shape(value: object) -> tuple[int, ...]:
    return tuple(extent for extent in as_list(value) if isinstance(extent, int))


def _require_resnet50(found: Recorded, key: str) -> None:
    for mismatch in _mismatches(found.runs[key], found, TYPES[key]):
        raise Ruling(Verdict.WRONG_ANSWER, f"In the {key} trace {mismatch}.")


def _mismatches(run: Run, found: Recorded, wanted: str) -> Iterator[str]:
    steps, convolutions = found.steps, sum(WEIGHTS.values())
    if len(run.numbers) != steps:
        yield f"are {len(run.numbers)} steps (ProfilerStep#…), and {steps} were to be recorded"
    if min(run.numbers) < SKIPPED:
        yield f"is step {min(run.numbers)}: let {SKIPPED} steps pass first, they allocate memory"
    if not run.weights:
        yield "no convolution has its shapes (record_shapes)"
    if run.weights != Counter({shape: steps * count for shape, count in WEIGHTS.items()}):
        yield (
            f"are {run.weights.total()} convolutions of {len(run.weights)} shapes in {steps} "
            f"steps, and ResNet-50 has {convolutions} of {len(WEIGHTS)} shapes in each"
        )
    if run.batches != frozenset[tuple[int, ...]]({(found.batch, 3, SIDE, SIDE)}):
        yield f"the inputs are {sorted(run.batches)}, not batches of {found.batch} pictures"
    if run.backwards != steps * convolutions:
        yield f"are {run.backwards} backward convolutions, not {steps * convolutions}"
    if run.updates != steps:
        yield f"are {run.updates} steps of an optimizer, not {steps}"
    if run.types != Counter({wanted: steps * convolutions}):
        yield f"the convolutions' inputs are {dict(run.types)}, and all should be {wanted}"
