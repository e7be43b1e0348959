"""A small image classifier: fold batch norm, quantize weights to int8, prune channels.

The judge computes every network itself, in numpy, without loading Paddle. A candidate's network
arrives as plain data: for each array its dtype, shape and bytes in base64.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.language import Malformed

Arrays = Mapping[str, NDArray[Any]]
Rng = np.random.Generator

LAYERS = ("conv1", "conv2", "linear")
CLASSES = 4
EPSILON = 1e-5
NETWORKS = 8
PICTURES = 32
MOST_ROUNDINGS = 32
"""Allowed successive float32 roundings on the way to a logit; folding takes about 12."""

HALF_A_STEP = 0.51
"""Allowed error as a share of the best quantization step; 0.01 of it is for rounding the scales."""

HIDDEN, GIVEN = 4000, 1000
LESS = 10
"""The pruned network may have 1/LESS of the bytes."""

MOST_LOST = 0.04
"""Allowed drop in accuracy on hidden images. Over 50 networks (classifier_trial.txt in the
curriculum) the reference loses at most 0.021; retraining only the last layer loses at least 0.061,
an untrained network 0.27.
"""

TIMEOUT_S = 120.0

PROGRAMS = Path(__file__).parent / "programs"
STRIPES = paths.exercises() / "ssa_passes" / "stripes.py"
TRAINING = Program(
    {"classifier_training.py": PROGRAMS / "classifier_training.py", "stripes.py": STRIPES},
    "classifier_training.py",
)

# --- networks -------------------------------------------------------------------------------------


def logits(network: Arrays, images: NDArray[Any]) -> NDArray[Any]:
    """Return the logits of a network without batch norm, in the arrays' own precision.

    images: [count, 3, rows, columns]. Returns [count, CLASSES].
    """
    values = images
    for layer in ("conv1", "conv2"):
        weight = network[f"{layer}.weight"]
        flat = _patches(values) @ weight.reshape(len(weight), -1).T + network[f"{layer}.bias"]
        values = np.maximum(flat, 0).transpose(0, 3, 1, 2)
    return values.mean((2, 3)) @ network["linear.weight"] + network["linear.bias"]


def _patches(values: NDArray[Any]) -> NDArray[Any]:
    """Return [count, rows, columns, 9 * channels]: the zero-padded 3 by 3 patch at each pixel."""
    padded = np.pad(values, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    count, channels, rows, columns = values.shape
    return seen.transpose(0, 2, 3, 1, 4, 5).reshape(count, rows, columns, 9 * channels)


def share_right(network: Arrays, images: NDArray[Any], labels: NDArray[Any]) -> float:
    """Return the accuracy, 0 to 1, computed in float32."""
    right = 0
    with np.errstate(over="ignore", invalid="ignore"):
        small = {name: array.astype(np.float32) for name, array in network.items()}
        for start in range(0, len(images), 200):
            answers = logits(small, images[start : start + 200]).argmax(1)
            right += int((answers == labels[start : start + 200]).sum())
    return right / len(images)


def folded(network: Arrays) -> Arrays:
    """Return the network with batch norm folded into the convolutions, in float64."""
    return _folded(network, lambda array: array, -1)


def magnitudes(network: Arrays) -> Arrays:
    """Fold with absolute values, so that nothing cancels: rounding errors are relative to these."""
    return _folded(network, np.abs, 1)


def _folded(
    network: Arrays, part: Callable[[NDArray[Any]], NDArray[Any]], sign: int
) -> dict[str, NDArray[Any]]:
    exact = {name: array.astype(np.float64) for name, array in network.items()}
    result = {name: part(a) for name, a in exact.items() if not name.startswith("norm")}
    for number in (1, 2):
        conv, norm = f"conv{number}", f"norm{number}"
        factor = part(exact[f"{norm}.weight"]) / np.sqrt(exact[f"{norm}._variance"] + EPSILON)
        result[f"{conv}.weight"] *= factor[:, None, None, None]
        centered = result[f"{conv}.bias"] + sign * part(exact[f"{norm}._mean"])
        result[f"{conv}.bias"] = centered * factor + part(exact[f"{norm}.bias"])
    return result


def floats(network: Arrays) -> dict[str, NDArray[Any]]:
    """Return the network with int8 weights multiplied by their scales, in float64."""
    result = {n: a.astype(np.float64) for n, a in network.items() if not n.endswith(".scale")}
    for layer in LAYERS:
        if f"{layer}.scale" in network:
            scale = network[f"{layer}.scale"].astype(np.float64)
            across = scale if layer == "linear" else scale[:, None, None, None]
            result[f"{layer}.weight"] *= across
    return result


def size(network: Arrays) -> int:
    """Return the bytes of all arrays."""
    return sum(array.nbytes for array in network.values())


# --- reading what a candidate gives ---------------------------------------------------------------


def read(answer: object) -> dict[str, NDArray[Any]]:
    """Return the candidate's network, without batch norm, of any number of channels.

    Raises Malformed if it is none.
    """
    arrays = as_message(answer)
    if arrays is None:
        raise Malformed(f"it gives {shown(answer)}, not arrays by their names")
    network = {name: _array(name, parts) for name, parts in arrays.items()}
    _require_names(network)
    channels = 3
    for layer in LAYERS:
        channels = _require_layer(layer, network, channels)
    return network


def _array(name: str, parts: object) -> NDArray[Any]:
    dtype, shape, text = [*as_list(parts), None, None, None][:3]
    if dtype not in ("float32", "int8"):
        raise Malformed(f"{shown(name)} is {shown(dtype)}, and should be float32 or int8")
    extents = cast("list[object]", as_list(shape))
    if not all(type(extent) is int and extent > 0 for extent in extents):
        raise Malformed(f"{shown(name)} has the shape {shown(shape)}")
    sizes = cast("list[int]", extents)
    try:
        data = base64.b64decode(cast(str, text), validate=True)
    except (TypeError, ValueError):
        raise Malformed(f"the bytes of {shown(name)} cannot be read") from None
    if len(sizes) > 4 or len(data) != math.prod(sizes) * np.dtype(dtype).itemsize:
        raise Malformed(f"{shown(name)} of the shape {shown(shape)} has {len(data)} bytes")
    array = np.frombuffer(data, dtype).reshape(sizes)
    if not np.isfinite(array).all():
        count = int((~np.isfinite(array)).sum())
        raise Malformed(f"{count} of the values of {shown(name)} are nan or infinite")
    return array


def _require_names(network: Arrays) -> None:
    """Require all weights and biases, and a scale for each int8 weight, and nothing else."""
    needed = {f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")}
    for name in sorted(needed - network.keys()):
        raise Malformed(f"{name!r} is missing")
    whole = [layer for layer in LAYERS if network[f"{layer}.weight"].dtype == np.int8]
    scales = {f"{layer}.scale" for layer in whole}
    for name in sorted(scales - network.keys()):
        raise Malformed(f"{name!r} is missing, and {name[:-6]}.weight is int8")
    for name in sorted(network.keys() - needed - scales):
        raise Malformed(f"{shown(name)} has no place in it")


def _require_layer(layer: str, network: Arrays, channels: int) -> int:
    """Return the layer's number of outputs. channels: of its input. Raises Malformed."""
    weight = network[f"{layer}.weight"]
    linear = layer == "linear"
    wanted = (channels, CLASSES) if linear else (*weight.shape[:1], channels, 3, 3)
    if weight.shape != wanted:
        raise Malformed(f"{layer}.weight has the shape {weight.shape}, and should have {wanted}")
    out = weight.shape[-1 if linear else 0]
    if weight.dtype == np.int8 and weight.min() < -127:
        raise Malformed(f"{layer}.weight holds -128, and should go from -127 to 127")
    for part in ("bias", "scale"):
        beside = network.get(f"{layer}.{part}")
        if beside is None:
            continue
        if beside.dtype != np.float32 or beside.shape != (out,):
            is_ = f"{beside.dtype} {beside.shape}"
            raise Malformed(f"{layer}.{part} is {is_}, and should be float32 {(out,)}")
        if part == "scale" and beside.min() <= 0:
            raise Malformed(f"{layer}.scale holds {beside.min():g}, and should be above 0")
    return out


# --- questions ------------------------------------------------------------------------------------


def normed(rng: Rng) -> dict[str, NDArray[np.float32]]:
    """Return a random network with batch norm. Some variances are as small as the epsilon."""
    widths = [3, *(int(width) for width in rng.integers(5, 20, 2))]
    network: dict[str, NDArray[Any]] = {}
    for number, (channels, out) in enumerate(pairwise(widths), 1):
        network[f"conv{number}.weight"] = rng.normal(0, 0.3, (out, channels, 3, 3))
        network[f"conv{number}.bias"] = rng.normal(0, 1, out)
        for name in ("weight", "bias", "_mean"):
            network[f"norm{number}.{name}"] = rng.normal(0, 1, out)
        network[f"norm{number}._variance"] = rng.permutation(np.geomspace(3e-6, 3, out))
    network["linear.weight"] = rng.normal(0, 1, (widths[2], CLASSES))
    network["linear.bias"] = rng.normal(0, 1, CLASSES)
    return {name: array.astype(np.float32) for name, array in network.items()}


def uneven(rng: Rng) -> dict[str, NDArray[np.float32]]:
    """Return a folded network whose channels differ 100-fold; one channel in each layer is zero."""
    network = {n: a for n, a in normed(rng).items() if not n.startswith("norm")}
    for layer in LAYERS:
        weight = np.moveaxis(network[f"{layer}.weight"], -1 if layer == "linear" else 0, 0)
        sizes = np.geomspace(0.01, 1, len(weight))
        sizes[1] = 0
        across = rng.permutation(sizes).reshape(-1, *[1] * (weight.ndim - 1))
        weight *= across.astype(np.float32)
    return network


def to_fold(rng: Rng) -> Iterator[Question]:
    """Yield questions about networks with batch norm."""
    for number in range(1, NETWORKS + 1):
        network = normed(rng)
        images = rng.normal(0, 1, (PICTURES, 3, 16, 16))
        mismatch = partial(folded_mismatch, network, images)
        yield Question(f"Network {number}", (_file(network),), mismatch)


def to_quantize(rng: Rng) -> Iterator[Question]:
    """Yield questions about networks without batch norm."""
    for number in range(1, NETWORKS + 1):
        network = uneven(rng)
        mismatch = partial(quantized_mismatch, network)
        yield Question(f"Network {number}", (_file(network),), mismatch)


def _file(network: Arrays) -> GivenFile:
    stream = io.BytesIO()
    np.savez(stream, **cast(Any, network))
    return GivenFile("network.npz", stream.getvalue())


def _loaded(data: bytes) -> dict[str, NDArray[Any]]:
    """Read an .npz of our own."""
    with np.load(io.BytesIO(data)) as arrays:
        return dict(arrays)


def folded_mismatch(source: Arrays, images: NDArray[np.float64], answer: object) -> str | None:
    """Return a message fragment unless both networks compute the same logits, within rounding."""
    want = folded(source)
    try:
        network = read(answer)
        _require_like(network, want)
    except Malformed as wrong:
        return str(wrong)
    if any(array.dtype != np.float32 for array in network.values()):
        return "it has weights of int8: that is the next step's"
    got, right = logits(floats(network), images), logits(want, images)
    allowed = MOST_ROUNDINGS * 2.0**-24 * logits(magnitudes(source), np.abs(images))
    worst = np.unravel_index(np.argmax(np.abs(got - right) / allowed), got.shape)
    if abs(got[worst] - right[worst]) <= allowed[worst]:
        return None
    return (
        f"a logit is {got[worst]:.6g} and should be {right[worst]:.6g}; rounding to float32 "
        f"explains {allowed[worst]:.1g}"
    )


def _require_like(network: Arrays, source: Arrays) -> None:
    for name, array in source.items():
        if name in network and network[name].shape != array.shape:
            shape = network[name].shape
            raise Malformed(f"{name} has the shape {shape}, and should have {array.shape}")


def quantized_mismatch(source: Arrays, answer: object) -> str | None:
    """Return a message fragment unless all weights are as close as one scale per channel allows."""
    try:
        network = read(answer)
        _require_like(network, source)
    except Malformed as wrong:
        return str(wrong)
    near = floats(network)
    for layer in LAYERS:
        if not np.array_equal(network[f"{layer}.bias"], source[f"{layer}.bias"]):
            return f"{layer}.bias is another one: biases stay as they are"
        if network[f"{layer}.weight"].dtype != np.int8:
            return f"{layer}.weight is float32, and should be int8"
        mismatch = _far(layer, near[f"{layer}.weight"], source[f"{layer}.weight"])
        if mismatch is not None:
            return mismatch
    return None


def _far(layer: str, near: NDArray[np.float64], source: NDArray[Any]) -> str | None:
    """Return a message about the output channel with the largest error in its steps, or None."""
    axis = -1 if layer == "linear" else 0
    weight, error = (np.moveaxis(a, axis, 0) for a in (source, np.abs(near - source)))
    steps = np.abs(weight).reshape(len(weight), -1).max(1).astype(np.float64) / 127
    errors = error.reshape(len(error), -1).max(1)
    worst = int(np.argmax(errors / np.maximum(steps, 1e-30)))
    if errors[worst] <= HALF_A_STEP * steps[worst]:
        return None
    return (
        f"in output channel {worst} of {layer} a weight is {errors[worst]:.3g} off; the channel's "
        f"best step is {steps[worst]:.3g}, and half of it is allowed"
    )


def smaller(session: Session) -> str:
    """Check that a trained network, pruned to 1/LESS of its bytes, stays accurate.

    Accuracy may drop by MOST_LOST. Returns the message for the learner; raises Ruling.
    """
    training = TRAINING.trusted(session)
    seeds = [int(seed) for seed in session.rng().integers(1 << 62, size=3)]
    original = training.take(training.ask("trained", seeds[0]))
    pictures = training.take(training.ask("pictures", seeds[1], GIVEN))
    hidden = _loaded(training.take(training.ask("pictures", seeds[2], HIDDEN)))
    before = folded(_loaded(original))
    most = 4 * sum(array.size for array in before.values()) // LESS
    network = _pruned(session, original, pictures, most)
    was, now = (
        share_right(each, hidden["images"], hidden["labels"]) for each in (before, floats(network))
    )
    session.note(bytes=size(network), accuracy=now, given_accuracy=was)
    sentence = (
        f"{size(network):,} bytes of {LESS * most:,}; right on {now:.1%} of {HIDDEN:,} "
        f"hidden images, the given network on {was:.1%}"
    )
    if was - now > MOST_LOST:
        lost = f"{100 * (was - now):.1f} percentage points are lost"
        allowed = f"at most {100 * MOST_LOST:g} may be"
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}: {lost}; {allowed}.")
    return f"{sentence}."


def _pruned(session: Session, network: bytes, pictures: bytes, most: int) -> Arrays:
    """Return the candidate's pruned network.

    Raises Ruling if it is invalid or above `most` bytes.
    """
    files = GivenFile("network.npz", network), GivenFile("pictures.npz", pictures)
    worker = session.of("pruned_from").worker()
    answer = ask_plainly(worker, (*files, most), session.timeout(TIMEOUT_S))
    try:
        pruned = read(answer)
    except Malformed as wrong:
        raise Ruling(Verdict.WRONG_ANSWER, f"Your network: {wrong}.") from None
    if size(pruned) > most:
        sentence = f"It has {size(pruned):,} bytes, and may have {most:,}."
        raise Ruling(Verdict.WRONG_ANSWER, sentence)
    return pruned
