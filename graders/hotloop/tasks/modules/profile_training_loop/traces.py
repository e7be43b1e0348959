"""Figures of traces: built ones with a GPU in them, and the learner's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hotloop.core.wire import as_message
from hotloop.engines.trace import Trace
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.profile_training_loop.built_trace import (
    BuiltTrace,
    launches_per_step,
    step_ms,
)

RELATIVE = 0.01


@dataclass(frozen=True)
class Figures:
    """What `answers` must find; the field names are the keys."""

    steps: int
    step_ms: float
    slowest_op: str
    slowest_op_share: float
    launches_per_step: float
    copies_to_device: int
    gpu_idle_share: float | None
    largest_allocation: int | None

    def mismatch(self, answer: object) -> str | None:
        """Return a message about the first wrong figure, or None."""
        reported = as_message(answer)
        if reported is None:
            return f"It returned {shown(answer)}, not a dict"
        name = reported.get("slowest_op")
        if name != self.slowest_op:
            return f"slowest_op is {shown(name)} and should be {self.slowest_op!r}"
        for key, want in vars(self).items():
            if key == "slowest_op":
                continue
            mismatch = number_mismatch(key, reported.get(key), want, RELATIVE, 1e-6)
            if mismatch is not None:
                return mismatch
        return None


def range_prefix(label: str) -> str:
    """Return the prefix of the range names of a labeled loop."""
    run = constant("RUN", 0, range(2, 1000))
    return f"{label}/{run}/" if run else f"{label}/"


def questions(rng: Rng) -> Iterator[Question]:
    """Yield four built traces: a busy GPU, several streams, and no GPU.

    Some have an odd number of steps, and some an even number, whose median is no step's duration.
    Over all traces, the files begin and end with an event of each kind, so that the first and last
    events matter.
    """
    for label, streams, steps, ends, largest in (
        ("A trace with a GPU", 1, (4, 6), ("step", "op"), 1 << 30),
        ("A trace with three streams and three threads", 3, (3, 5, 7), ("copy", "launch"), 1 << 30),
        ("A trace without a GPU", 0, (4, 6), ("op", "step"), 1 << 30),
        ("A trace with two streams and tiny tensors", 2, (3, 5), ("launch", "copy"), 1),
    ):
        built = BuiltTrace(rng, streams, int(rng.choice(steps)), ends, largest)
        file = GivenFile("trace.json", json.dumps(built.document()).encode())
        yield Question(label, (file,), Figures(**built.figures()).mismatch)


def figures_of(trace: Trace) -> Figures:
    """Return the figures according to the package's own trace reader."""
    slowest = trace.ops()[0]
    largest = trace.largest_allocation
    steps = trace.steps
    within = [(s.start_us, s.start_us + s.duration_us) for s in steps]
    copies = [e for e in trace.copies if e.direction == "HtoD"]
    return Figures(
        steps=len(steps),
        step_ms=step_ms([s.duration_us for s in steps]),
        slowest_op=slowest.name,
        slowest_op_share=slowest.share,
        launches_per_step=launches_per_step(_count(trace.launches, within), len(steps)),
        copies_to_device=_count(copies, within),
        gpu_idle_share=trace.gpu_idle_share(),
        largest_allocation=None if largest is None else largest.bytes,
    )


def _count(events: Any, within: list[tuple[float, float]]) -> int:
    return sum(any(start <= e.start_us < end for start, end in within) for e in events)
