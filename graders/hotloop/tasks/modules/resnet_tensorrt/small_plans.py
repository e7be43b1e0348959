"""Plans of small random convolutional networks: the memory that they need, and their ONNX files.

One of our programs turns a plan into a file; the judge computes the answers from the plan itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import program

Rng = np.random.Generator
Shape = tuple[int, int, int, int]

FLOAT_BYTES = 4
KERNEL = 9


@dataclass(frozen=True)
class Step:
    """One node. inputs: numbers of earlier values, 0 for the graph's input.

    channels, stride: of a Conv.
    """

    operator: str
    inputs: tuple[int, ...]
    channels: int = 0
    stride: int = 1


@dataclass(frozen=True)
class Plan:
    """A network of steps; the last step's value is its output. seed: of its weights."""

    batch: int
    side: int
    channels: int
    steps: tuple[Step, ...]
    seed: int

    def shapes(self) -> list[Shape]:
        """Return the shapes of all values, in order, the input's first."""
        found: list[Shape] = [(self.batch, self.channels, self.side, self.side)]
        for step in self.steps:
            batch, channels, side, _ = found[step.inputs[0]]
            if step.operator == "Conv":
                channels, side = step.channels, (side - 1) // step.stride + 1
            found.append((batch, channels, side, side))
        return found

    def to_json(self) -> str:
        """Return the plan in the format that small_models.py reads."""
        steps = [
            [s.operator, s.inputs, *((s.channels, s.stride) if s.operator == "Conv" else ())]
            for s in self.steps
        ]
        return json.dumps(
            {
                "batch": self.batch,
                "side": self.side,
                "channels": self.channels,
                "steps": steps,
                "seed": self.seed,
            }
        )


def plans(rng: Rng) -> Iterator[Plan]:
    """Yield a chain, a plan with a long-lived value, and some random ones."""
    yield Plan(1, 16, 3, (Step("Conv", (0,), 8), Step("Relu", (1,))), 1)
    yield sampled(rng, branches=1, tail=6)
    for _ in range(4):
        yield sampled(rng, branches=int(rng.integers(1, 4)), tail=int(rng.integers(0, 4)))


def sampled(rng: Rng, branches: int, tail: int) -> Plan:
    """Return a plan: convolutions with residual branches, followed by `tail` convolutions.

    A branch has up to three convolutions and Relus, then one that restores the channels.
    """
    steps = [Step("Conv", (0,), int(rng.integers(4, 17)), int(rng.integers(1, 3)))]
    for _ in range(branches):
        start = len(steps)
        width = _channels_of(steps)
        for _ in range(int(rng.integers(1, 4))):
            steps.append(Step("Conv", (len(steps),), int(rng.integers(4, 33))))
            steps.append(Step("Relu", (len(steps),)))
        steps.append(Step("Conv", (len(steps),), width))
        steps.append(Step("Add", (len(steps), start)))
    for _ in range(tail):
        steps.append(Step("Conv", (len(steps),), int(rng.integers(4, 17)), int(rng.integers(1, 3))))
    batch, side = int(rng.integers(1, 5)), int(rng.integers(12, 33))
    return Plan(batch, side, 3, tuple(steps), int(rng.integers(2**31)))


def memory(plan: Plan) -> Mapping[str, int]:
    """Return the bytes of weights, and the peak of bytes of live values."""
    shapes = plan.shapes()
    sizes = [FLOAT_BYTES * int(np.prod(shape)) for shape in shapes]
    end = len(plan.steps)
    last = {0: end, end: end}
    for number, step in enumerate(plan.steps, start=1):
        for value in step.inputs:
            last[value] = max(last.get(value, 0), number)
    most = max(
        sum(size for value, size in enumerate(sizes) if value <= now <= last.get(value, value))
        for now in range(end + 1)
    )
    convolutions = [step for step in plan.steps if step.operator == "Conv"]
    kernels = sum(KERNEL * shapes[s.inputs[0]][1] * s.channels for s in convolutions)
    return {"weights": FLOAT_BYTES * kernels, "activations": most}


def model_of(plan: Plan, session: Session) -> bytes:
    """Return the plan as an ONNX file."""
    maker = program("small_models.py").trusted(session)
    return maker.take(maker.ask("write", plan.to_json()))


def _channels_of(steps: list[Step]) -> int:
    """Return the channels of the last value."""
    return next(step.channels for step in reversed(steps) if step.operator == "Conv")
