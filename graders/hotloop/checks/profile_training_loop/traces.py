"""Traces with secret figures: made here, with a GPU in them, or recorded by the learner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotloop.checks.profile_training_loop.made_trace import MadeTrace
from hotloop.core.wire import as_message
from hotloop.judge.questions import GivenFile, Question, number_complaint, shown
from hotloop.trace import Trace

Rng = np.random.Generator

RELATIVE = 0.01


@dataclass(frozen=True)
class Asked:
    """What is asked about steps and launches. quantile: of the steps' durations, 0.5 the median.

    launch_steps: for how many steps the mean number of launches is told.
    """

    quantile: float = 0.5
    launch_steps: int = 1


PLAIN = Asked()


@dataclass(frozen=True)
class Figures:
    """What `answers` is to find; the names are the keys."""

    steps: int
    step_ms: float
    slowest_op: str
    slowest_op_share: float
    launches_per_step: float
    copies_to_device: int
    gpu_idle_share: float | None
    largest_allocation: int | None

    def complaint(self, answer: object) -> str | None:
        """What is wrong with an answer."""
        told = as_message(answer)
        if told is None:
            return f"It returned {shown(answer)}, not a dict"
        name = told.get("slowest_op")
        if name != self.slowest_op:
            return f"slowest_op is {shown(name)} and should be {self.slowest_op!r}"
        for key, want in vars(self).items():
            if key == "slowest_op":
                continue
            found = number_complaint(key, told.get(key), want, RELATIVE, 1e-6)
            if found is not None:
                return found
        return None


def questions(rng: Rng, asked: Asked = PLAIN) -> Iterator[Question]:
    """Four made traces: a busy GPU, several streams, and none at all.

    An odd number of steps, and even ones, of which no step's duration is the median. Between them
    the files begin and end with an event of each kind, so that the first and the last count.
    """
    for label, streams, steps, ends, largest in (
        ("A trace with a GPU", 1, (4, 6), ("step", "op"), 1 << 30),
        ("A trace with three streams and three threads", 3, (3, 5, 7), ("copy", "launch"), 1 << 30),
        ("A trace without a GPU", 0, (4, 6), ("op", "step"), 1 << 30),
        ("A trace with two streams and tiny tensors", 2, (3, 5), ("launch", "copy"), 1),
    ):
        made = MadeTrace(rng, streams, int(rng.choice(steps)), ends, largest)
        yield _question(label, made, asked)


def complaint_about(trace: Trace, answer: object, asked: Asked = PLAIN) -> str | None:
    """The learner's answer about a trace of their own, against what stands in it."""
    return figures_of(trace, asked).complaint(answer)


def figures_of(trace: Trace, asked: Asked = PLAIN) -> Figures:
    """By the package's own reader."""
    slowest = trace.ops()[0]
    largest = trace.largest_allocation
    steps = trace.steps
    within = [(s.start_us, s.start_us + s.duration_us) for s in steps]
    launches = [e for e in trace.launches if e.name.startswith("cudaLaunchKernel")]
    copies = [e for e in trace.copies if e.direction == "HtoD"]
    return Figures(
        steps=len(steps),
        step_ms=float(np.quantile([s.duration_us for s in steps], asked.quantile)) / 1000,
        slowest_op=slowest.name,
        slowest_op_share=slowest.share,
        launches_per_step=asked.launch_steps * _count(launches, within) / len(steps),
        copies_to_device=_count(copies, within),
        gpu_idle_share=trace.gpu_idle_share(),
        largest_allocation=None if largest is None else largest.bytes,
    )


def _count(events: Any, within: list[tuple[float, float]]) -> int:
    return sum(any(start <= e.start_us < end for start, end in within) for e in events)


def _question(label: str, made: MadeTrace, asked: Asked) -> Question:
    data = json.dumps(made.document()).encode()
    figures = Figures(**made.figures(asked.quantile, asked.launch_steps))
    return Question(label, (GivenFile("trace.json", data),), figures.complaint)
