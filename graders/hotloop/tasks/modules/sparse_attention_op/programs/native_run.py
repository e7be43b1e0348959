"""Build a candidate's custom operator library, and run models with it in ONNX Runtime."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

if TYPE_CHECKING:
    import torch

HERE = Path(__file__).parent
DOMAIN, NAME = "hotloop.lab", "SparseAttention"
INPUTS, OUTPUT = ("q", "k", "v", "threshold"), "out"
LIBRARY: list[str] = []
SESSIONS: list[onnxruntime.InferenceSession] = []


def load(path: str) -> None:
    """Build the library and register it with session options.

    Raises RuntimeError with the compiler's message if the build fails.
    """
    library = str(Path(tempfile.mkdtemp()) / "ops.so")
    command = ["g++", "-std=c++17", "-O2", "-fPIC", "-shared", f"-I{HERE}", path, "-o", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:2000])
    LIBRARY[:] = [library]
    SESSIONS.clear()
    _options()


def single(block: int, causal: int) -> int:
    """Open a session with a one-node model, and return its number."""
    shapes = [*[["batch", "heads", "length", "depth"]] * 3, ["heads"]]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, shape)
        for n, shape in zip((*INPUTS, OUTPUT), (*shapes, shapes[0]), strict=True)
    ]
    node = helper.make_node(NAME, INPUTS, [OUTPUT], domain=DOMAIN, block=block, causal=causal)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
    graph = helper.make_graph([node], "node", ends[:4], ends[4:])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    SESSIONS.append(_session(model))
    return len(SESSIONS) - 1


def run(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    threshold: torch.Tensor,
    number: int,
    out: torch.Tensor,
) -> None:
    """Run session `number`. Raises ValueError if the output's shape is not that of `out`."""
    given = (x.contiguous().numpy() for x in (q, k, v, threshold))
    (answer,) = SESSIONS[number].run(None, dict(zip(INPUTS, given, strict=True)))
    if answer.shape != tuple(out.shape):
        raise ValueError(f"the output has the shape {answer.shape}, and not {tuple(out.shape)}")
    out.numpy()[...] = answer


def outputs(path: str, feeds_path: str) -> str:
    """Run a model on the arrays of an .npz file; return the path of an .npz with its outputs."""
    session = _session(onnx.load(path))
    with np.load(feeds_path) as feeds:
        answers = session.run(None, dict(feeds))
    target = str(Path(tempfile.mkdtemp()) / "outputs.npz")
    names = [end.name for end in session.get_outputs()]
    np.savez(target, **dict(zip(names, answers, strict=True)))
    return target


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.register_custom_ops_library(LIBRARY[0])
    return options


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(
        model.SerializeToString(), _options(), providers=["CPUExecutionProvider"]
    )
