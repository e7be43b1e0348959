"""What the Python plugin calls: gate, lists and attention on a stream. Given.

Behind it stands a launch of the kernels where there is a GPU. Here a function on the host stands in
for it, so that a plugin can be tried.
"""

from __future__ import annotations

import ctypes
import math

import numpy as np

expected: dict[str, object] = {}
"""What a trial says that the next call is to be given; empty where nothing is tried."""


def workspace_bytes(batch: int, heads: int, length: int, block: int) -> int:
    """Of the lists of one call."""
    blocks = -(-length // block)
    return 4 * batch * heads * blocks * (blocks + 1)


def launch(
    q: int,
    k: int,
    v: int,
    threshold: int,
    out: int,
    workspace: int,
    sizes: tuple[int, int, int, int],
    half: bool,
    block: int,
    causal: bool,
    stream: int,
) -> None:
    """Addresses of tensors and of workspace_bytes(…) bytes. sizes: batch, heads, length, depth.

    half: q, k, v and out are float16, otherwise float32. It waits for nothing.
    """
    told = {"half": half, "sizes": tuple(sizes), "stream": stream, "workspace": workspace}
    for name, value in told.items():
        if expected and value != expected[name]:
            raise ValueError(f"launched with {name} {value}, and it is {expected[name]}")
    if expected and workspace_bytes(*sizes[:3], block) > expected["bytes"]:
        raise ValueError(f"launched with a workspace of {expected['bytes']} bytes: too few")
    expected["launched"] = True
    kind = np.float16 if half else np.float32
    tensors = [_at(address, sizes, kind).astype(np.float64) for address in (q, k, v)]
    limit = _at(threshold, (sizes[1],), np.float32).astype(np.float64)
    _at(out, sizes, kind)[...] = _attention(*tensors, limit, block, causal)


def _at(address: int, shape: tuple[int, ...], kind: type) -> np.ndarray:
    size = math.prod(shape) * np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), kind).reshape(shape)


def _attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, limit: np.ndarray, block: int, causal: bool
) -> np.ndarray:
    length, depth = q.shape[-2:]
    starts = np.arange(0, length, block)
    counts = np.minimum(block, length - starts)[:, None]
    means = [np.add.reduceat(x, starts, axis=2) / counts for x in (q, k)]
    gates = means[0] @ means[1].swapaxes(-1, -2) / math.sqrt(depth)
    home = np.arange(length) // block
    seen = (gates >= limit[:, None, None])[..., home, :][..., home]
    if causal:
        seen = np.tril(seen)
    scores = np.where(seen, q @ k.swapaxes(-1, -2) / math.sqrt(depth), -np.inf)
    highest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0.0))
    total = weights.sum(-1, keepdims=True)
    return weights @ v / np.where(total == 0, 1.0, total)
