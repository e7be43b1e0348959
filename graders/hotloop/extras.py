"""Packages that not everybody needs, by the optional group that installs them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping

IMPORTED: Mapping[str, tuple[str, ...]] = {
    "local": ("jupytext", "nbformat", "numpy", "torch", "unidiff"),
    "course": (
        "alembic",
        "ipykernel",
        "jupyterlab",
        "nbclient",
        "nbconvert",
        "nbgrader",
        "sqlalchemy",
    ),
    "onnx": ("onnx", "onnxruntime", "onnxscript", "safetensors"),
    "onnx_custom": ("onnxruntime_extensions",),
    "tvm": ("tvm", "tvm_ffi"),
    "monitoring": ("prometheus_client", "tensorboard"),
    "xla": ("flatbuffers", "jax", "jaxlib"),
    "checkpoints": ("safetensors",),
    "xdsl": ("xdsl",),
    "paddle": ("paddle",),
    "openvino": ("openvino",),
    "litert": ("litert_torch", "ai_edge_litert", "ai_edge_quantizer"),
    "coreml": ("coremltools",),
    "executorch": ("executorch",),
    "cuda": ("wasmtime", "ziglang"),
    "bank": ("genanki", "jinja2"),
    "takehome": (
        "argon2",
        "cryptography",
        "fastapi",
        "itsdangerous",
        "jinja2",
        "limits",
        "markdown_it",
        "nbgrader",
        "pygments",
        "python_multipart",
        "sqlalchemy",
        "uvicorn",
    ),
}
"""What a group brings on every system, as it is imported."""


def missing(extra: str) -> tuple[str, ...]:
    """What of the group cannot be imported here; nothing is imported to find out."""
    return tuple(name for name in IMPORTED[extra] if importlib.util.find_spec(name) is None)


def remedy(extra: str) -> str:
    """The command that installs the group."""
    return f"{sys.executable} -m pip install 'hotloop[{extra}]'"
