"""The accelerator mac16 for the judge: what it supports and what everything costs.

`mac16.py` beside the notebook gives the learner the same table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

Shape = tuple[int, ...]

NAMES = (
    "mac16.matmul",
    "mac16.matmul_bias",
    "mac16.matmul_relu",
    "mac16.matmul_bias_relu",
    "mac16.add",
    "mac16.relu",
)
MEMORY_BYTES = 64 * 1024
LAUNCH_US = 30.0
MOST_ROWS, MOST_K, MOST_COLUMNS, K_STEP = 64, 256, 64, 16


def transfer_us(shape: Shape) -> float:
    """Return the µs to copy a tensor to the accelerator, or back."""
    return 2.0 + size(shape) / 4096


def size(shape: Shape) -> int:
    """Return the bytes of a float32 tensor."""
    return 4 * prod(shape)


def host_us(kind: str, inputs: Sequence[Shape], out: Shape) -> float:
    """Return the µs of an operator on the host. A reshape is free."""
    if kind == "reshape":
        return 0.0
    if kind == "matmul":
        return 1.0 + prod(out) * inputs[0][-1] / 1024
    return 1.0 + prod(out) / 1024


def unit_us(name: str, inputs: Sequence[Shape], out: Shape) -> float:
    """Return the µs of a composite function on the accelerator. Fused bias and relu are free."""
    if name.startswith("mac16.matmul"):
        return 1.0 + prod(out) * inputs[0][-1] / 32768
    return 0.5 + prod(out) / 4096


def unsupported(name: str, inputs: Sequence[Shape], out: Shape) -> str | None:
    """Return why the accelerator does not support the composite function, or None.

    inputs: shapes of x, w and maybe a bias for a matmul; of both operands for an add; of x for a
    relu.
    """
    if any(len(shape) != 2 for shape in (*inputs[:2], out)):
        return "it works on matrices"
    if name == "mac16.relu":
        return None
    if name == "mac16.add":
        same = all(shape == out for shape in inputs)
        return None if same else f"it adds equal shapes only, not {_shown(inputs)}"
    x, w, *bias = inputs
    if reason := _unsupported_sizes(x, w):
        return reason
    if not bias or bias[0] == out[1:]:
        return None
    return f"its bias is one number a column, [{out[1]}], not {_shown(bias)}"


def _unsupported_sizes(x: Shape, w: Shape) -> str | None:
    if x[1] % K_STEP:
        return f"K is {x[1]}, not a multiple of {K_STEP}"
    if x[1] > MOST_K:
        return f"K is {x[1]}, more than {MOST_K}"
    if w[1] > MOST_COLUMNS:
        return f"N is {w[1]}, more than {MOST_COLUMNS}"
    return f"M is {x[0]}, more than {MOST_ROWS}" if x[0] > MOST_ROWS else None


def _shown(shapes: Sequence[Shape]) -> str:
    return ", ".join(str(list(shape)) for shape in shapes)
