"""ONNX Runtime's wheel has no headers; a library that declares what it calls is loaded still."""

from __future__ import annotations

import subprocess
import tempfile
from importlib.metadata import files
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from hotloop.core import paths

SOLUTION, GIVEN = paths.beside_notebook("sparse_attention_op")
DOMAIN, NAME, INPUTS = "hotloop.lab", "SparseAttention", ("q", "k", "v", "threshold")


def model() -> bytes:
    """One bare node."""
    shape = [1, 1, "length", 16]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in INPUTS[:3]]
    ends.append(helper.make_tensor_value_info(INPUTS[3], TensorProto.FLOAT, [1]))
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, shape)
    node = helper.make_node(NAME, INPUTS, ["out"], domain=DOMAIN, block=16, causal=0)
    graph = helper.make_graph([node], "node", ends, [out])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def main() -> None:
    """Count headers, build without them, load, run."""
    found = [f for f in files("onnxruntime") or [] if f.suffix in {".h", ".hpp"}]
    print(f"headers in onnxruntime's wheel: {len(found)}")
    library = Path(tempfile.mkdtemp()) / "ops.so"
    command = ["g++", "-std=c++17", "-O2", "-fPIC", "-shared", f"-I{GIVEN}"]
    command += [f"{SOLUTION}/ort_op.cpp", "-o", str(library)]
    subprocess.run(command, check=True)
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(str(library))
    session = onnxruntime.InferenceSession(model(), options, providers=["CPUExecutionProvider"])
    values = np.arange(48, dtype=np.float32).reshape(1, 1, 3, 16)
    zeros = np.zeros_like(values)
    limit = np.full(1, -np.inf, np.float32)
    (got,) = session.run(None, {"q": zeros, "k": zeros, "v": values, "threshold": limit})
    same = np.allclose(got, values.mean(2, keepdims=True))
    print(f"a library built with its own declarations loads and is correct: {same}")
    assert same
    assert not found


if __name__ == "__main__":
    main()
