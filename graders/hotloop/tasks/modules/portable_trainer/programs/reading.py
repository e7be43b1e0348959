"""Read a candidate's checkpoint, without any library that could execute it."""

from __future__ import annotations

import json

import layout
import numpy as np
from safetensors import safe_open


def mismatch(path: str, steps: int, shapes: str, version: int = 0) -> str | None:
    """Return the first difference from the expected layout, or None.

    shapes: JSON, dtype and shape of each array by name. version: expected in its state; 0 for none.
    """
    arrays, metadata = read(path)
    want = json.loads(shapes)
    for name, right in want.items():
        got = described(arrays[name]) if name in arrays else "absent"
        if got != right:
            return f"{name} is {got} and should be {right}"
    state = json.loads(metadata.get("state", "null"))
    if not isinstance(state, dict) or state.get("steps") != steps:
        return f"its state is {metadata.get('state')!r:.80} after {steps} steps"
    if version and state.get("version") != version:
        return f"the version in its state is {state.get('version')!r:.80} and should be {version}"
    if metadata.get("digest") != layout.digest(arrays, metadata["state"]):
        return "its digest is not that of its content"
    return None


def read(path: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return arrays and metadata."""
    with safe_open(path, framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


def described(array: np.ndarray) -> str:
    """Return dtype and shape as text."""
    return f"{array.dtype} {list(array.shape)}"
