"""Writes the network as ONNX, and holds it against PyTorch.

    python curriculum/triton_ensemble/model/export.py [--version 2] [--checkpoint FOLDER] FILE
    python curriculum/triton_ensemble/model/export.py --graph

Without a checkpoint it is ours. The batch is a free dimension, the length is not: the tokenizer
makes all texts equally long. `--graph` writes graph.json beside this file, which is all of our file
but its weights: those are in model.safetensors (`hotloop.engines.serving.network_file`).

`.eval()` comes first: an export in training mode has dropout in it, and answers differently each
time. The weights are stored in half precision, which halves the file; they are made float again
when a session loads them, so every computation is in float.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import checkpoint
import numpy as np
import onnx
import torch
import wordpiece
from checkpoint import Checkpoint
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from hotloop.engines.serving import network_file
from hotloop.engines.serving.network_file import Part, TensorPart, Tensors

INPUTS = ("input_ids", "attention_mask")
OUTPUT = "logits"
OPSET = 18
TOLERANCE = 1e-4
SENTENCES = (
    "Return a randomly chosen element of a sequence.",
    "Close the socket and wait until all connections are handled.",
    "Extract all members from the archive to the current working directory.",
)
_SMALL = 256
"""Weights with fewer elements stay as they are."""


def main() -> None:
    """Export, compare, save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--version", type=int, default=1, choices=(1, 2))
    parser.add_argument("--checkpoint", type=Path)
    given = parser.parse_args()
    if given.graph == (given.file is not None):
        parser.error("one of FILE and --graph is needed")
    found = checkpoint.load(given.checkpoint, given.version)
    model = export(found)
    off = f"off by at most {compare(found, model):.1e}"
    if given.graph:
        file = checkpoint.HERE / network_file.GRAPH
        weights = network_file.tensors((checkpoint.HERE / checkpoint.WEIGHTS).read_bytes())
        file.write_text(json.dumps(list(parts(model, weights)), indent=1) + "\n", encoding="utf-8")
        print(f"{file}: {file.stat().st_size} bytes, {off}")
    else:
        given.file.write_bytes(model)
        print(f"{given.file}: {len(model) / 2**20:.2f} MiB, {off}")


def export(found: Checkpoint) -> bytes:
    """The network as the bytes of an ONNX file."""
    length = found.tokenizer.padding["length"]
    # Two rows: an example of one would be taken to mean that there is always one. And two tensors:
    # of one that is given twice, the exporter makes one input.
    ids, mask = (torch.ones((2, length), dtype=torch.int64) for _ in INPUTS)
    network = found.network.eval()
    batch = torch.export.Dim("batch", min=1, max=1024)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            network,
            (ids, mask),
            input_names=list(INPUTS),
            output_names=[OUTPUT],
            dynamic_shapes=({0: batch}, {0: batch}),
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    if program is None:
        raise RuntimeError("the exporter gave nothing back")
    model = program.model_proto
    _halve(model)
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.value_info[:]
    model.graph.doc_string = model.doc_string = ""
    for node in model.graph.node:
        # Where in PyTorch it came from: half of a small file, and nobody reads it.
        node.doc_string = ""
        del node.metadata_props[:]
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def compare(found: Checkpoint, model: bytes) -> float:
    """The largest difference from PyTorch, over batches of one, two and three."""
    evaluator = ReferenceEvaluator(onnx.load_from_string(model))
    ids, mask = wordpiece.encode(found.tokenizer, SENTENCES)
    worst = 0.0
    for count in range(1, len(SENTENCES) + 1):
        feed = dict(zip(INPUTS, (ids[:count], mask[:count]), strict=True))
        (got,) = evaluator.run(None, feed)
        with torch.no_grad():
            want = found.network(*map(torch.from_numpy, feed.values())).numpy()
        worst = max(worst, float(np.abs(np.asarray(got) - want).max()))
    if worst > TOLERANCE:
        raise RuntimeError(f"ONNX and PyTorch differ by {worst:.2g}")
    return worst


def parts(model: bytes, weights: Tensors) -> Iterator[Part]:
    """The file as graph.json has it: tensors of the weights, and the bytes between them."""
    at = 0
    for stored in onnx.load_from_string(model).graph.initializer:
        part = _part(stored, weights)
        if part is not None:
            start = model.index(stored.raw_data, at)
            yield base64.b64encode(model[at:start]).decode()
            yield part
            at = start + len(stored.raw_data)
    yield base64.b64encode(model[at:]).decode()


def _part(stored: onnx.TensorProto, weights: Tensors) -> TensorPart | None:
    """Which tensor it is, whole or its first rows; the exporter has transposed some."""
    type_name = str(helper.tensor_dtype_to_np_dtype(stored.data_type))
    for (name, values), transposed in itertools.product(weights.items(), (False, True)):
        if name.startswith(checkpoint.SECOND):
            continue
        part = TensorPart(tensor=name, type=type_name)
        if transposed:
            part["transposed"] = True
        elif values.size > np.prod(stored.dims):
            part["rows"] = int(np.prod(stored.dims)) // values[0].size
        if network_file.content(part, weights) == stored.raw_data:
            return part
    return None


def _halve(model: onnx.ModelProto) -> None:
    """Store large weights in half precision, and cast them where they are used."""
    casts: list[onnx.NodeProto] = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < _SMALL:
            continue
        name, values = weight.name, numpy_helper.to_array(weight)
        stored = numpy_helper.from_array(values.astype(np.float16), f"{name}.half")
        weight.CopyFrom(stored)
        casts.append(helper.make_node("Cast", [stored.name], [name], to=TensorProto.FLOAT))
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*casts, *nodes])


if __name__ == "__main__":
    main()
