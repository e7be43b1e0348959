"""Checks of the single ONNX file that an export writes: its contents and its outputs.

One of our programs reads the file, another runs it, and a third, which never sees the file,
computes the right outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32, U8, DType
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.onnx.programs import RUNNER, Facts, facts_of, products_of
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import program
from hotloop.tasks.modules.resnet_tensorrt.network_cost import kernels, last_layer

SIDE, CLASSES = 64, 10
FILE = "network.onnx"
INPUT, OUTPUT = "frames", "probabilities"
OPSETS = (18, 19, 20)
MOST_BYTES = 8 << 20
"""The weights are 6 MB in float32; a larger file contains them twice."""

EXPORT_S = 240.0
NEAR = Tolerance(relative=0.0, absolute=2e-5)
"""For a probability. Rounding in float32 stays ten times below it; half precision exceeds it."""


DONE = "It is what was asked for."

TRUTH = program("frames_truth.py")
"""Generates frames, and computes their probabilities."""


def export(what: str, numbers: Sequence[int]) -> OrderedFile[int]:
    """Return the file that the candidate writes for `(number, path)`.

    what: what the number is, for the learner. numbers: one of these is drawn.
    """
    return OrderedFile(
        FILE,
        lambda session: int(session.rng().choice(numbers)),
        lambda number: (number,),
        lambda number: f"{what} {number}",
        timeout_s=EXPORT_S,
    )


def sound(file: GivenFile, opset: int, session: Session) -> str | None:
    """Return what is wrong with the exported file's structure, or None."""
    facts = facts_of(file, session)
    mismatch = whole(facts, file.data)
    if mismatch is not None:
        return mismatch
    if facts.get("opset") != opset:
        return f"the file says opset {shown(facts.get('opset'))}"
    return next(wrong_ends(facts, "UINT8", None), None) or without_the_network(facts)


def whole(facts: Facts, data: bytes) -> str | None:
    """Return what is wrong with any file's size, operators or storage of weights, or None."""
    if facts.get("external"):
        return "its weights lie in another file: ask for all of it in one"
    if facts.get("checker") is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    if facts.get("foreign") or facts.get("functions"):
        return "it has operators that are not ONNX's own"
    if facts.get("training"):
        return f"{', '.join(map(str, facts['training']))} was exported as it is in training"
    if len(data) > MOST_BYTES:
        return f"it has {len(data) >> 20} MiB, and the weights need 6"
    return None


def without_the_network(facts: Facts) -> str | None:
    """Return a message unless the output depends on the network, by the shapes of its weights.

    Folded normalizations change none of them. There may be other products as well.
    """
    shapes = Counter(shape for _, shape, _ in products_of(facts))
    wanted = Counter(str([*shape]) for shape in kernels())
    there = (wanted & shapes).total()
    if there < wanted.total():
        return f"of the network's {wanted.total()} convolutions {there} lead to its output"
    rows, columns = last_layer()
    if not {str(s) for s in ([rows, columns], [columns, rows], [rows, columns, 1, 1])} & {*shapes}:
        return "the network's last layer does not lead to its output"
    return None


def wrong_ends(facts: Facts, element: str, batch: int | None) -> Iterator[str]:
    """Yield what is wrong with the input and the output.

    element: the input's type. batch: of both; None if it must be free.
    """
    for end, name, kind, dims in (
        ("inputs", INPUT, element, (SIDE, SIDE, 3)),
        ("outputs", OUTPUT, "FLOAT", (CLASSES,)),
    ):
        mismatch = end_mismatch(facts, end, name, kind, dims)
        if mismatch is not None:
            yield mismatch
            continue
        first = _batch_of(facts, end)
        if batch is None and isinstance(first, int):
            yield f"the batch of {name} is fixed at {first}: any should do"
        if batch is not None and first != batch:
            yield f"the batch of {name} is {shown(first)}: fix it at {batch}"


def end_mismatch(
    facts: Facts, end: str, name: str, element: str, dims: tuple[int, ...]
) -> str | None:
    """Return what is wrong with the only input or output, or None.

    end: "inputs" or "outputs". element: its type. dims: all but the first dimension.
    """
    ends = as_list(facts.get(end))
    one = as_list(ends[0]) if len(ends) == 1 else []
    if len(one) != 3:
        return f"it has {len(ends)} {end}, and one is asked for"
    if one[0] != name:
        return f"the {end[:-1]} is called {shown(one[0])} and should be called {name!r}"
    if one[1] != element:
        return f"{name} has the type {shown(one[1])} and should have {element}"
    if as_list(one[2])[1:] != list(dims):
        return f"{name} has the shape {shown(one[2])}; {list(dims)} should follow the batch"
    return None


def _batch_of(facts: Facts, end: str) -> object:
    """Return the first dimension of the only input or output: a number, or a name."""
    dims = as_list(as_list(as_list(facts.get(end))[0])[2])
    return dims[0] if dims else None


def correct(file: GivenFile, _opset: int, session: Session) -> str | None:
    """Return the first wrong probability of the exported file on frames of all kinds, or None."""
    return wrong_numbers(file, session, U8, (1, 3, 16))


def wrong_numbers(
    file: GivenFile, session: Session, element: DType, batches: tuple[int, ...]
) -> str | None:
    """Return the first batch whose probabilities differ from our own network's, or None."""
    process = RUNNER.given(session, "runs")
    process.ask("load", file)
    for label, frames in _frames(batches, session):
        out = TensorSpec((len(frames), CLASSES), FP32)
        case = Case(label, (InputTensor(frames, element),), out)
        want = TRUTH.trusted(session).answer("probabilities", case)
        wrong = compare(process.answer("run", case), want, NEAR)
        if wrong is not None:
            return f"{label}: a probability is wrong: {wrong.sentence()}"
    return None


def _frames(batches: tuple[int, ...], session: Session) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Yield labeled batches: signs, noise, and images of one color. Raises JudgeFault."""
    rng = session.rng()
    for count in batches:
        shape = (count, SIDE, SIDE, 3)
        case = Case("", (seed(rng),), TensorSpec(shape, U8))
        signs = TRUTH.trusted(session).answer("frames", case)
        if signs.shape != shape:
            raise JudgeFault("our own frames have another shape")
        yield f"{count} frame{'s' if count > 1 else ''}", signs.astype(np.uint8)
        yield f"a batch of {count}, noise", rng.integers(0, 256, shape, np.uint8)
        flat = np.broadcast_to(rng.integers(0, 256, (count, 1, 1, 3), np.uint8), shape)
        yield f"a batch of {count}, one color each", flat.copy()
