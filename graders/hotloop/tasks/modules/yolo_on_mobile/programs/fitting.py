"""Read and run a detector that must fit a device card. Runs in the judge's workers.

Needs auditing.py, eager.py and the detector beside it. `facts`, `load`, `run` and `tables` get a
candidate's file; `source`, `truth` and the baseline never see it.
"""

import json
import tempfile
import warnings
from pathlib import Path

import auditing
import eager
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper

NAMES = ["small", "middle", "large"]
LOADED = []


def source(side):
    """Export the detector (float32, with decoding, one size) and return its path."""
    path = str(Path(tempfile.mkdtemp(prefix="fitting-")) / "detector.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            _Decoded(),
            (torch.zeros(1, 3, side, side),),
            path,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
        )
    return path


def facts(path, card):
    """Return the file's structure and its cost on the device of `card` (JSON).

    Returns only "external", or "external" and "unknown", if weights are external or a size is
    dynamic.
    """
    onnx.checker.check_model(path, full_check=True)
    model = onnx.load(path, load_external_data=False)
    if any(t.data_location == t.EXTERNAL for t in model.graph.initializer):
        return {"external": True}
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    stored = {tensor.name for tensor in graph.initializer}
    sizes, shapes = {}, {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        shape = [dim.dim_value for dim in kind.shape.dim]
        if not all(dim.HasField("dim_value") for dim in kind.shape.dim):
            return {"external": False, "unknown": value.name}
        shapes[value.name] = shape
        if value.name not in stored:
            item = helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize
            sizes[value.name] = int(np.prod(shape, dtype=np.int64)) * item
    operators = json.loads(card)["operators"]
    taken = [_taken(node, shapes, operators) for node in graph.node]
    for node in graph.node:
        lost = [name for name in node.output if name and name not in sizes]
        if lost:
            return {"external": False, "unknown": lost[0]}
    return {
        "external": False,
        "inputs": [_end(value) for value in graph.input if value.name not in stored],
        "outputs": [_end(value) for value in graph.output],
        "refused": sorted(
            {n.op_type for n, good in zip(graph.node, taken, strict=True) if not good}
        ),
        "segments": sum(b and not a for a, b in zip([False, *taken], taken, strict=False)),
        "bytes": Path(path).stat().st_size,
        "peak_bytes": auditing._peak(graph, sizes),
        "crossing_bytes": auditing._crossing(graph, sizes, taken),
    }


def load(path, threads):
    """Load the file to run."""
    LOADED[:] = [_session(path, threads)]


def load_source(path, threads):
    """Load the exported source file as the baseline, with a random image of its own size."""
    session = _session(path, threads)
    (given,) = session.get_inputs()
    LOADED[:] = [session, np.random.default_rng(1).random(given.shape, np.float32)]


def as_it_was(_pictures, maps):
    """Run the source file once on its own image, whatever size the candidate's images have."""
    session, picture = LOADED
    (table,) = session.run(["table"], {"pictures": picture})
    # Every element must be written, and the number of elements depends on the candidate.
    maps.fill_(float(table[0, 0, 0]))


def run(pictures, maps):
    """Run the file. pictures: float32 [1, 3, side, side]. maps: float32 [numbers], concatenated."""
    (session,) = LOADED
    out, begin = maps.numpy(), 0
    for found in session.run(NAMES, {"pictures": pictures.numpy()}):
        out[begin : begin + found.size] = found.ravel()
        begin += found.size


def truth(pictures, maps):
    """Fill `maps` with the eager network's maps."""
    with torch.inference_mode():
        found = eager.NETWORK(pictures)
    maps.copy_(torch.cat([each.flatten() for each in found]))


def tables(pictures, out):
    """Fill `out` with decoded tables. pictures: float32 [n, 3, side, side], run one by one."""
    (session,) = LOADED
    for place, picture in enumerate(pictures.numpy()):
        maps = session.run(NAMES, {"pictures": picture[None]})
        out[place].copy_(eager.decoded([torch.from_numpy(each) for each in maps])[0])


def _session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _taken(node, shapes, operators):
    rule = operators.get(node.op_type)
    if node.domain not in ("", "ai.onnx") or rule is None:
        return False
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv" and not rule.get("groups", True) and given.get("group", 1) > 1:
        return False
    if "largest_kernel" not in rule:
        return True
    # kernel_shape is optional in ONNX; the weight's shape has it, too.
    kernel = given.get("kernel_shape") or shapes[node.input[1]][2:]
    return max(kernel) <= rule["largest_kernel"]


def _end(value):
    kind = value.type.tensor_type
    return [value.name, kind.elem_type, [dim.dim_value for dim in kind.shape.dim]]


class _Decoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = eager.NETWORK

    def forward(self, pictures):
        return eager.table_of(pictures)
