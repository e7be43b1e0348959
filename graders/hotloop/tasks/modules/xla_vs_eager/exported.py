"""Exported programs of the candidate's: one process reads them, another runs them.

A third process computes the expected numbers in float64 and never sees a candidate's file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.given_files import program

FACTS = program("exported_facts.py")
RUNS = program("exported_runs.py", network=True)
TRUTH = program("truth.py", network=True)

FILE = "program.bin"
SIDE, CLASSES, WIDTH = 8, 10, 8
SHARE = 2e-4
"""Tolerance, relative to the largest number of the same tensor.

A different order of float32 sums changes a tenth of it; leaving out one sample changes far more.
"""


def sizes(width: int = WIDTH) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the network's parameters by name."""
    return {
        "conv1": (3, 3, 1, width),
        "bias1": (width,),
        "conv2": (3, 3, width, 2 * width),
        "bias2": (2 * width,),
        "head": (8 * width, CLASSES),
        "bias3": (CLASSES,),
    }


PARAMETERS = sum(int(np.prod(shape)) for shape in sizes().values())


def parameters(rng: Rng) -> NDArray[np.float64]:
    """Return random parameters, flat as in network.flat; weights are scaled by their fan-in."""
    return np.concatenate(
        [
            rng.standard_normal(int(np.prod(shape)))
            * (np.sqrt(2 / np.prod(shape[:-1])) if len(shape) > 1 else 0.1)
            for shape in sizes().values()
        ]
    )


def random_images(rng: Rng, count: int) -> NDArray[np.float64]:
    """Return images [count, 8, 8, 1]; 60 % of the pixels are 0, as in images of digits."""
    pixels = rng.random((count, SIDE, SIDE, 1))
    return np.where(pixels > 0.6, pixels, 0.0)


def labels(rng: Rng, count: int) -> NDArray[np.float64]:
    """Return random classes, [count]."""
    return rng.integers(0, CLASSES, count).astype(np.float64)


def facts(data: bytes, session: Session) -> Message:
    """Return arguments, results, scopes and calls of an exported program.

    Raises Ruling for a program that the reader cannot read, or whose facts are malformed
    (TAMPERED).
    """
    message = as_message(FACTS.given(session, "reads").ask("facts", GivenFile(FILE, data)))
    if message is None:
        raise Ruling(Verdict.TAMPERED, "The program made our own reader answer nonsense.")
    return message


def foreign_call(facts: Message) -> str | None:
    """Return a message if the program calls the host or is not pure StableHLO, or None."""
    if facts["host"]:
        return f"the program leaves the device by {', '.join(map(str, facts['host']))}"
    if facts["foreign"]:
        return f"the program has operations that are no StableHLO: {facts['foreign'][0]}"
    return None


def arguments_mismatch(facts: Message, trees: int, others: tuple[str, ...]) -> str | None:
    """Return a message if the arguments are not the expected ones, or None.

    Expected are `trees` dicts of parameters, then `others`, written as `float32[8]`.
    """
    tree = [f"float32[{','.join(map(str, sizes()[name]))}]" for name in sorted(sizes())]
    want = [*tree * trees, *others]
    got = as_list(facts["arguments"])
    if got == want:
        return None
    if len(got) != len(want):
        return f"the program takes {len(got)} tensors and should take {len(want)}"
    number = next(i for i, pair in enumerate(zip(got, want, strict=True)) if pair[0] != pair[1])
    return f"argument {number} is {got[number]} and should be {want[number]}"


@dataclass(frozen=True)
class RunCheck:
    """A function run by the program and by the reference.

    function: of exported_runs.py. truth: of truth.py. Both fill a flat tensor: `first` scalars,
    then `trees` dicts of parameters.
    share: tolerance, as SHARE.
    """

    function: str
    truth: str
    first: int
    trees: int
    share: float = SHARE

    def mismatch(
        self, data: bytes, inputs: tuple[InputTensor, ...], session: Session
    ) -> str | None:
        """Run the program on these inputs and compare all numbers; return a message or None."""
        out = TensorSpec((self.first + self.trees * PARAMETERS,), FP32)
        case = Case("inputs", inputs, out)
        runner = RUNS.given(session, "runs")
        runner.ask("load", GivenFile(FILE, data))
        want = TRUTH.trusted(session).answer(self.truth, case)
        return self.difference(runner.answer(self.function, case), want)

    def difference(self, got: Floats, want: Floats) -> str | None:
        """Return a message about the first tensor that differs, or None."""
        places = {"the loss": slice(0, 1)} if self.first else {}
        if self.first > 1:
            places["the rate"] = slice(1, 2)
        place = self.first
        for tree in range(self.trees):
            kind = "momentum" if tree else "parameters" if self.trees > 1 else "gradients"
            for name, shape in sizes().items():
                size = int(np.prod(shape))
                places[f"{name} of the {kind}"] = slice(place, place + size)
                place += size
        for what, where in places.items():
            allowed = Tolerance(0.0, self.share * max(1e-3, float(np.abs(want[where]).max())))
            mismatch = compare(got[where], want[where], allowed)
            if mismatch is not None:
                return f"{what}: {mismatch.sentence()}"
        return None


def tensor(values: NDArray[np.float64]) -> InputTensor:
    """Return the values as float32, as the candidate's program gets them."""
    return InputTensor(values, FP32)
