"""Build a candidate's custom operator library, and run models with it in ONNX Runtime."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import ort_session
from onnx import parser

if TYPE_CHECKING:
    import torch

HERE = Path(__file__).parent
MODEL = """<ir_version: 9, opset_import: ["": 18, "hotloop.lab": 1]>
node (
    float[batch, heads, length, depth] q, float[batch, heads, length, depth] k,
    float[batch, heads, length, depth] v, float[heads] threshold
) => (float[batch, heads, length, depth] out) {{
    out = hotloop.lab.SparseAttention<block={}, causal={}>(q, k, v, threshold)
}}"""
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
    onnxruntime.SessionOptions().register_custom_ops_library(library)


def single(block: int, causal: int) -> int:
    """Open a session with a one-node model, and return its number."""
    SESSIONS.append(_session(parser.parse_model(MODEL.format(block, causal))))
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
    ort_session.LOADED[:] = [SESSIONS[number]]
    ort_session.run(q, k, v, threshold, out)


def outputs(path: str, feeds_path: str) -> str:
    """Run a model on the arrays of an .npz file; return the path of an .npz with its outputs."""
    session = _session(onnx.load(path))
    with np.load(feeds_path) as feeds:
        answers = session.run(None, dict(feeds))
    target = str(Path(tempfile.mkdtemp()) / "outputs.npz")
    names = [end.name for end in session.get_outputs()]
    np.savez(target, **dict(zip(names, answers, strict=True)))
    return target


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    return ort_session.opened(model.SerializeToString(), {}, LIBRARY[0])
