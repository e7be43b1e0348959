"""Small graphs with operators that a delegate does not support; checks and runs the rewrites.

Runs in the judge's workers. `make` never sees anything of a candidate's; `structure` and `run` get
its files, in a separate process.
"""

import base64
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ALLOWED = (
    *("Conv", "Add", "Sub", "Mul", "Div", "Neg", "Abs", "Exp", "Log", "Sigmoid", "Tanh", "Relu"),
    *("Clip", "Max", "Min", "Concat", "MaxPool", "Identity", "Constant"),
)
"""Operators of the delegate. It has no Slice, with or without steps."""

ACTIVATIONS = ("HardSwish", "HardSigmoid", "Mish", "Softplus")
WIDTHS = (40.0, 1.0)
"""Each activation gets large inputs in turn: a rewrite must not overflow in between."""

OPSET = 18


def make(seed, count, kind):
    """Return `count` models with flat inputs and outputs. kind: "activations" or "stem"."""
    rng = np.random.default_rng(seed)
    return [_with_truth(_Maker(rng).model(kind, number), rng) for number in range(count)]


def structure(path, version=0):
    """Return [index, sentence] about the first rewrite that breaks a requirement, or None.

    path: JSON, pairs of source and rewritten model in base64. version: the required model_version;
    0 to accept any.
    """
    for index, pair in enumerate(_read(path)):
        source, made = (base64.b64decode(text) for text in pair)
        said = _mismatch(onnx.load_model_from_string(source), made, version)
        if said is not None:
            return [index, said]
    return None


def run(path):
    """Return each model's output; path: JSON, models in base64 with "shape" and "fed"."""
    return [_run(base64.b64decode(e["model"]), e["fed"], e["shape"]) for e in _read(path)]


class _Maker:
    """Makes a graph: a stem (of kind "stem"), then convolutions with activations."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.stored = [], []

    def model(self, kind, number):
        start, channels = "picture", 3
        if kind == "stem":
            start, channels = self.focus(start, channels, number)
        # In every fourth graph the stem's convolution is the last one.
        alone = kind == "stem" and number % 4 == 3
        for step in range(0 if alone else int(self.rng.integers(2, 4))):
            start, channels = self.conv(start, channels)
            if kind == "activations":
                turn, kind_of = divmod(number + step, len(ACTIVATIONS))
                start = self.activation(start, ACTIVATIONS[kind_of], WIDTHS[turn % len(WIDTHS)])
            else:
                start = self.silu(start)
        self.nodes.append(helper.make_node("Identity", [start], ["out"], name="last"))
        half = 8 if kind == "stem" else 16
        graph = helper.make_graph(
            self.nodes,
            "net",
            [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, 16, 16])],
            [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, channels, half, half])],
            self.stored,
        )
        opset = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opset, ir_version=9)

    def focus(self, start, channels, number):
        corners = [(d, r) for d in (0, 1) for r in (0, 1)]
        parts = []
        for down, right in (corners[i] for i in self.rng.permutation(4)):
            ends = [int(np.iinfo(np.int64).max)] * 2
            given = [("starts", [down, right]), ("ends", ends), ("axes", [2, 3]), ("steps", [2, 2])]
            name = self.name("corner")
            inputs = [self.store(f"{name}_{k}", np.array(v, np.int64)) for k, v in given]
            self.nodes.append(helper.make_node("Slice", [start, *inputs], [name], name=name))
            parts.append(name)
        stacked = self.name("stacked")
        self.nodes.append(helper.make_node("Concat", parts, [stacked], name=stacked, axis=1))
        return self.conv(stacked, 4 * channels, kernel=(3, 1, 5)[number % 3])

    def conv(self, start, channels, kernel=3):
        outputs = int(self.rng.integers(3, 9))
        name = self.name("conv")
        scale = 1.5 / np.sqrt(channels * kernel**2)
        weight = scale * self.rng.standard_normal((outputs, channels, kernel, kernel))
        inputs = [start, self.store(f"{name}_w", weight.astype(np.float32))]
        if self.rng.random() < 0.5:
            bias = self.rng.standard_normal(outputs).astype(np.float32)
            inputs.append(self.store(f"{name}_b", bias))
        half = kernel // 2
        self.nodes.append(helper.make_node("Conv", inputs, [name], name=name, pads=[half] * 4))
        return name, outputs

    def activation(self, start, op, width):
        name = self.name("act")
        chosen = {}
        if op == "HardSigmoid":
            chosen = {
                "alpha": float(self.rng.uniform(0.1, 0.4)),
                "beta": float(self.rng.uniform(0.3, 0.7)),
            }
        wide = self.name("wide")
        factor = self.store(f"{wide}_f", np.array(width, np.float32))
        self.nodes.append(helper.make_node("Mul", [start, factor], [wide], name=wide))
        self.nodes.append(helper.make_node(op, [wide], [name], name=name, **chosen))
        if op == "HardSigmoid":
            return name
        back = self.name("back")
        divided = [name, factor]
        self.nodes.append(helper.make_node("Div", divided, [back], name=back))
        return back

    def silu(self, start):
        gate, name = self.name("gate"), self.name("silu")
        self.nodes.append(helper.make_node("Sigmoid", [start], [gate], name=gate))
        self.nodes.append(helper.make_node("Mul", [start, gate], [name], name=name))
        return name

    def store(self, name, values):
        self.stored.append(numpy_helper.from_array(values, name))
        return name

    def name(self, kind):
        return f"{kind}_{len(self.nodes)}_{len(self.stored)}"


def _with_truth(model, rng):
    data = model.SerializeToString()
    shape = [1, 3, 16, 16]
    fed = rng.standard_normal(shape).astype(np.float32).ravel().tolist()
    return {
        "model": base64.b64encode(data).decode(),
        "shape": shape,
        "fed": fed,
        "truth": _run(data, fed, shape),
    }


def _run(data, fed, shape):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    (got,) = session.run(["out"], {"picture": np.array(fed, np.float32).reshape(shape)})
    # JSON has no infinity.
    return got.astype(np.float64).ravel().tolist() if np.isfinite(got).all() else None


def _mismatch(source, made, version):
    try:
        model = onnx.load_model_from_string(made)
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the file
        return f"onnx.checker refuses it: {str(error).strip().splitlines()[0][:120]}"
    refused = sorted({node.op_type for node in model.graph.node} - set(ALLOWED))
    if refused:
        return f"{refused[0]} is still in it"
    if version and model.model_version != version:
        return f"its model_version is {model.model_version} and should be {version}"
    if model.functions:
        return "it has functions of its own"
    for kind in ("input", "output"):
        before, after = (list(getattr(m.graph, kind)) for m in (source, model))
        if [v.SerializeToString() for v in before] != [v.SerializeToString() for v in after]:
            return f"its {kind}s are not those of the source any more"
    convolutions = [sum(n.op_type == "Conv" for n in m.graph.node) for m in (source, model)]
    if convolutions[0] != convolutions[1]:
        return f"it has {convolutions[1]} convolutions, and the source {convolutions[0]}"
    return None


def _read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))
