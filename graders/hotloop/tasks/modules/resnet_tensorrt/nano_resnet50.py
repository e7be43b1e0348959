"""The published ResNet-50 at 224×224 for a Jetson Nano: calibrated int8, and a stated budget.

Weights come from a seed on both sides, so no file of 100 MB is exchanged. What the board would take
is computed by the model in jetson_nano.json, and no board has confirmed it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, cast

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx import session_options
from hotloop.judge.onnx.programs import RUNNER
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile, Plain, Question, number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import EXERCISE, program
from hotloop.tasks.modules.resnet_tensorrt.network_cost import BLOCKS
from hotloop.tasks.modules.resnet_tensorrt.quantized import mismatch_of

Rng = np.random.Generator

PROGRAM = program("published_network.py", "quantized_weights.py")
SIDE, CLASSES, WIDTH = 224, 1000, 64
FRAMES, TESTED = 12, 16
FLOAT_BYTES = 102_000_000
MOST_OPSET = 13
MOST_DISTANCE = 0.5
"""Relative distance (L2 norm) of all logits from float32's."""
LEAST_CORRELATION = 0.4
"""Of what distinguishes the pictures: logits without their mean over the pictures, which is 95 % of
their size, so that a constant has a distance of 0.3. In 9 trials of seven right answers' styles it
was 0.66 to 0.81; with the frames scaled otherwise, or those of the night alone, −0.04 to 0.14.
The classes of a network with random weights are no measure: right answers had 0.25 to 0.88 of
float32's, and those wrong ones 0.06 to 0.69."""

RELATIVE = 1e-3
TIMEOUT_S = 150.0


@dataclass(frozen=True)
class Order:
    """number: the seed of the network's weights. frames: an .npz for calibration."""

    number: int
    frames: GivenFile


def _order(session: Session) -> Order:
    maker = PROGRAM.trusted(session)
    path = maker.ask("frames", seed(session.rng()), FRAMES)
    return Order(seed(session.rng()), GivenFile("calibration.npz", maker.take(path)))


FILE = OrderedFile(
    "int8.onnx",
    _order,
    lambda order: (order.number, order.frames),
    "Your network",
    timeout_s=TIMEOUT_S,
)


def structure_mismatch(file: GivenFile, order: Order, session: Session) -> str | None:
    """Return what is wrong with the file's form, or None; outputs are not compared."""
    facts = PROGRAM.given(session, "reads").ask("structure", file, order.number)
    if not isinstance(facts, dict):
        return "it is no network"
    told = cast(Mapping[str, Any], facts)
    opset = told["opset"]
    if not isinstance(opset, int) or opset > MOST_OPSET:
        return f"it has opset {shown(opset)}, and TensorRT 8.2 reads up to {MOST_OPSET}"
    for key, want in (
        ("inputs", [["pictures", 1, 3, SIDE, SIDE]]),
        ("outputs", [["logits", 1, CLASSES]]),
    ):
        if told[key] != want:
            return f"its {key} are {shown(told[key])}, expected {want}"
    return mismatch_of(told, len(file.data), FLOAT_BYTES)


def accuracy_mismatch(file: GivenFile, order: Order, session: Session) -> str | None:
    """Return a message if its classes or logits are too far from float32's."""
    maker = PROGRAM.trusted(session)
    given = TensorSpec((TESTED, 3, SIDE, SIDE), FP32)
    pictures = maker.answer("pictures", Case("pictures", (seed(session.rng()),), given))
    arguments = (order.number, InputTensor(pictures, FP32))
    want = maker.answer("logits", Case("", arguments, TensorSpec((TESTED, CLASSES), FP32)))
    process = RUNNER.given(session, "int8")
    process.ask("load", file, session_options.plain(session.launcher.threads))
    single = TensorSpec((1, CLASSES), FP32)
    got = np.concatenate(
        [
            process.answer("run", Case("a picture", (InputTensor(picture[None], FP32),), single))
            for picture in pictures
        ]
    )
    return floor_mismatch(got, want)


def floor_mismatch(got: Floats, want: Floats) -> str | None:
    """Return a message if int8 logits are below the floor, else None."""
    if not np.isfinite(got).all():
        return "its logits are not finite"
    distance = float(np.linalg.norm(got - want) / np.linalg.norm(want))
    if distance > MOST_DISTANCE:
        return (
            f"its logits are {distance:.2f} of their size away from float32's, at most "
            f"{MOST_DISTANCE:g} may be: did the calibration see what the network gets"
        )
    differences = (logits - logits.mean(0) for logits in (got, want))
    with np.errstate(invalid="ignore"):
        alike = float(np.corrcoef([difference.ravel() for difference in differences])[0, 1])
    if not alike >= LEAST_CORRELATION:  # NaN where all pictures have the same logits
        return (
            f"without their mean its logits have a correlation of {alike:.2f} with float32's, "
            f"expected at least {LEAST_CORRELATION:g}: do the ranges hold day and night, as the "
            "network gets them"
        )
    return None


# --- the budget -----------------------------------------------------------------------------------

Node = dict[str, Any]
BYTES = {"fp32": 4, "fp16": 2}


def board_model() -> dict[str, Any]:
    """Return the table's model of the board."""
    text = (EXERCISE / "jetson_nano.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text)["model"])


def nodes_of(batch: int, side: int, width: int = WIDTH) -> list[Node]:
    """Return ResNet-50's nodes with folded normalizations, as an exporter writes them."""
    nodes: list[Node] = []

    def add(op: str, inputs: list[str], shape: list[int], *weights: list[int]) -> str:
        name = f"{op.lower()}_{len(nodes)}"
        made = {"op": op, "inputs": inputs, "output": name, "shape": shape}
        nodes.append({**made, "weights": list(weights)})
        return name

    def conv(x: str, outputs: int, inputs: int, kernel: int, side: int) -> str:
        weight = [outputs, inputs, kernel, kernel]
        return add("Conv", [x], [batch, outputs, side, side], weight, [outputs])

    def relu(x: str) -> str:
        return add("Relu", [x], next(n["shape"] for n in nodes if n["output"] == x))

    side //= 2
    x = relu(conv("pictures", width, 3, 7, side))
    side //= 2
    x = add("MaxPool", [x], [batch, width, side, side])
    inputs = width
    for stage, blocks in enumerate(BLOCKS):
        inner, outputs = width << stage, width << stage + 2
        for block in range(blocks):
            before, side = side, side // 2 if stage and not block else side
            y = relu(conv(x, inner, inputs, 1, before))
            y = relu(conv(y, inner, inner, 3, side))
            y = conv(y, outputs, inner, 1, side)
            short = x if block else conv(x, outputs, inputs, 1, side)
            x = relu(add("Add", [y, short], [batch, outputs, side, side]))
            inputs = outputs
    x = add("GlobalAveragePool", [x], [batch, inputs, 1, 1])
    x = add("Flatten", [x], [batch, inputs])
    add("Gemm", [x], [batch, CLASSES], [CLASSES, inputs], [CLASSES])
    return nodes


def budgets(rng: Rng) -> Iterator[Question]:
    """Yield the published network in both types, larger batches, and other boards and widths."""
    board = board_model()
    for label, batch, side, width, precision in (
        ("ResNet-50, one picture in float32", 1, SIDE, WIDTH, "fp32"),
        ("ResNet-50, one picture in float16", 1, SIDE, WIDTH, "fp16"),
        ("ResNet-50, several pictures", int(rng.integers(2, 33)), SIDE, WIDTH, "fp16"),
        ("ResNet-50 with large pictures", int(rng.integers(1, 5)), 512, WIDTH, "fp32"),
        ("A narrower network", int(rng.integers(1, 9)), SIDE, 16, "fp16"),
        ("More than the memory holds", 160, 512, WIDTH, "fp32"),
    ):
        own = {**board, "input": [batch, 3, side, side]}
        own["bytes_per_s"] = round(board["bytes_per_s"] * float(rng.uniform(0.7, 1.3)))
        nodes = nodes_of(batch, side, width)
        want = budget(nodes, precision, own)
        deadline_ms = round(want["latency_ms"] * float(rng.choice([0.8, 1.25])), 3)
        arguments = (cast(Plain, nodes), precision, cast(Plain, own), deadline_ms)
        yield Question(label, arguments, partial(_budget_mismatch, want, own, deadline_ms))


def budget(nodes: list[Node], precision: str, board: Mapping[str, Any]) -> dict[str, float]:
    """Return latency in ms, bytes, and how many nodes arithmetic limits, by the model."""
    size = BYTES[precision]
    counts = {"pictures": prod(board["input"])}
    for node in nodes:
        counts[node["output"]] = prod(node["shape"])
    latency_s, stored, limited = 0.0, 0, 0
    for node in nodes:
        weights = sum(prod(shape) for shape in node["weights"])
        moved = weights + counts[node["output"]] + sum(counts[name] for name in node["inputs"])
        products = prod(node["weights"][0][1:]) if node["weights"] else 0
        flops = 2 * counts[node["output"]] * products
        arithmetic_s = flops / board["flops_per_s"][precision]
        memory_s = size * moved / board["bytes_per_s"]
        latency_s += max(arithmetic_s, memory_s)
        limited += arithmetic_s > memory_s
        stored += size * weights
    peak = size * _peak(nodes, counts)
    return {
        "latency_ms": 1000 * latency_s,
        "memory_bytes": stored + peak + board["reserved_bytes"],
        "arithmetic_limited": limited,
    }


def _peak(nodes: list[Node], counts: Mapping[str, int]) -> int:
    """Return how many numbers live at one time at most; input and output stay."""
    reads = {name: step for step, node in enumerate(nodes) for name in node["inputs"]}
    ends = {**reads, "pictures": len(nodes), nodes[-1]["output"]: len(nodes)}
    begins = {"pictures": 0, **{node["output"]: step for step, node in enumerate(nodes)}}
    return max(
        sum(counts[name] for name in begins if begins[name] <= step <= ends[name])
        for step in range(len(nodes))
    )


def _budget_mismatch(
    want: Mapping[str, float], board: Mapping[str, Any], deadline_ms: float, answer: object
) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"It returned {shown(answer)}, not a dict"
    for key, value in want.items():
        exact = key == "arithmetic_limited"
        wrong = number_mismatch(key, reported.get(key), value, 0.0 if exact else RELATIVE)
        if wrong is not None:
            return wrong
    in_time = want["latency_ms"] <= deadline_ms
    fits = bool(in_time and want["memory_bytes"] <= board["memory_bytes"])
    if reported.get("fits") is not fits:
        why = "latency and memory are within the limits" if fits else "one limit is exceeded"
        return f"fits is {shown(reported.get('fits'))}, expected {fits}: {why}"
    return None
