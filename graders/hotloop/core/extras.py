"""Optional packages, by the group that installs them."""

import importlib.util
import platform
import sys
from collections.abc import Mapping

from hotloop.core import own_environments

IMPORTED: Mapping[str, tuple[str, ...]] = {
    "local": ("ipykernel", "jupytext", "nbformat", "numpy", "torch", "unidiff"),
    "course": (
        "alembic",
        "jupyterlab",
        "nbclient",
        "nbconvert",
        "nbgrader",
        "sqlalchemy",
    ),
    "onnx": ("onnx", "onnxruntime", "onnxscript", "safetensors"),
    "extension": ("ninja",),
    "onnx_custom": ("onnxruntime_extensions",),
    "tvm": ("tvm", "tvm_ffi"),
    "monitoring": ("prometheus_client", "tensorboard"),
    "xla": ("flatbuffers", "jax", "jaxlib"),
    "checkpoints": ("safetensors",),
    "proof": ("z3",),
    "xdsl": ("xdsl",),
    "paddle": ("paddle",),
    "openvino": ("openvino",),
    "litert": ("litert_torch", "ai_edge_litert", "ai_edge_quantizer"),
    "coreml": ("coremltools",),
    "executorch": ("executorch",),
    "transformers": ("transformers",),
    "tensorflow": ("keras", "tensorflow", "tf2onnx"),
    "torch_xla": ("torch_xla",),
    "tile_languages": ("cutlass", "cuda.tile"),
    "cuda": ("numpy", "wasmtime", "ziglang"),
    "bank": ("genanki", "jinja2"),
    "mcp": ("fsrs", "mcp"),
    "serve": (
        "fastapi",
        "jinja2",
        "limits",
        "python_multipart",
        "sqlalchemy",
        "uvicorn",
    ),
    "lti": ("cryptography", "jwt"),
    "sso": ("cryptography", "jwt"),
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
"""The packages that a group installs on every system, by import name."""


SIMULATOR = "cuda"
"""The group of the simulator, which checks that it decides name as their need."""

NO_SOLVER = "not asked: z3-solver is not installed (`pip install 'hotloop[proof]'`)"
"""What a record says in place of proofs."""

APART = frozenset({"litert"})
"""Groups that pin older versions of shared packages, and therefore get a virtual environment."""


def missing(extra: str) -> tuple[str, ...]:
    """Return the group's packages that cannot be imported here, without importing any."""
    return tuple(name for name in IMPORTED[extra] if not _is_here(name))


def _is_here(name: str) -> bool:
    """Return whether the module is there. For one in a package, find_spec imports the package."""
    package = name.rpartition(".")[0]
    return (not package or _is_here(package)) and importlib.util.find_spec(name) is not None


def remedy(extra: str) -> str:
    """Return the command that installs the group."""
    if extra in own_environments.names():
        return f"hotloop doctor --install {extra}"
    if extra in APART:
        return (
            f"{sys.executable} -m venv {extra} && "
            f"{extra}/bin/python -m pip install 'hotloop[course,{extra}]'"
        )
    return f"{sys.executable} -m pip install 'hotloop[{extra}]'"


def why_no_judge() -> str:
    """Return why this machine cannot run the judge, with the alternative; "" if it can."""
    elsewhere = "judge on a Linux machine that you reach with `hotloop check --on URL`"
    if sys.platform != "linux":
        return f"Judging needs Linux, and this is {platform.system()}: {elsewhere}."
    if gap := missing("local"):
        return (
            f"Judging on this machine needs {', '.join(gap)}: {elsewhere}, or install them with "
            f"{remedy('local')}"
        )
    return ""
