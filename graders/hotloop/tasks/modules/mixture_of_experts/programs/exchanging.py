"""Start ranks that exchange tokens over gloo, count the bytes between them, and compare results.

Each rank is a process of its own with the candidate's code. The tokens and the experts' weights are
drawn here and sent to the rank that has them. Bytes are those of the network interface `lo`, by the
kernel's count, between the moment when all ranks are ready and the moment when all have returned.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import apart
import numpy as np
import rank_process
import remote
from safetensors.numpy import load, save

assert rank_process.READY  # imported before the nursery forks, with all that a rank needs
NURSERY = apart.Nursery()
READY_S, DONE_S = 40.0, 30.0

Arrays = dict[str, np.ndarray]


def exchanged(
    source: str, seed: int, sizes: list[int], experts: int, k: int, width: int, skew: float
) -> dict[str, Any]:
    """Return the largest error of a rank, the bytes on the interface, and the fewest.

    sizes: tokens of each rank. skew: rank 0's experts are chosen more often by this much.
    """
    given = _drawn(seed, sizes, experts, k, width, skew)
    store = tempfile.mkdtemp() + "/store"
    children = [
        NURSERY.start("rank_process", "join", source, rank, len(sizes), store)
        for rank in range(len(sizes))
    ]
    try:
        for child, arrays in zip(children, given, strict=True):
            remote.send(child.sock, {"per_rank": experts // len(sizes)}, save(arrays))
        _all(children, READY_S)
        before = _interface_bytes()
        for child in children:
            remote.send(child.sock, {})
        answers = _all(children, DONE_S)
        moved = _interface_bytes() - before
    finally:
        for child in children:
            child.kill()
    errors = [_error(got.get("y"), want) for got, want in zip(answers, _truth(given), strict=True)]
    return {"errors": errors, "bytes": moved, "fewest": _fewest(given, experts // len(sizes))}


def _drawn(
    seed: int, sizes: list[int], experts: int, k: int, width: int, skew: float
) -> list[Arrays]:
    rng = np.random.default_rng(seed)
    local = experts // len(sizes)
    popular = np.where(np.arange(experts) < local, skew, 0.0)
    found: list[Arrays] = []
    for count in sizes:
        scores = popular + rng.gumbel(size=(count, experts))
        ids = np.ascontiguousarray(np.argsort(-scores, axis=1)[:, :k]).astype(np.int64)
        weights = rng.dirichlet(np.ones(k), count).astype(np.float32)
        x = rng.standard_normal((count, width)).astype(np.float32)
        matrices = (rng.standard_normal((local, width, width)) / width**0.5).astype(np.float32)
        found.append({"x": x, "experts": ids, "weights": weights, "matrices": matrices})
    return found


def _all(children: list[apart.Child], limit_s: float) -> list[Arrays]:
    """Return what each rank sends next. Raises Failed, or the candidate's error."""
    answers: list[Arrays] = []
    for rank, child in enumerate(children):
        child.sock.settimeout(limit_s)
        try:
            message, payload = remote.receive(child.sock)
        except (TimeoutError, EOFError):
            raise apart.Failed(f"rank {rank} does not return: does it wait for a rank?") from None
        if message.get("what") == "ended":
            child.ended(message)
            raise apart.Failed(f"rank {rank} ended")
        answers.append(load(payload) if payload else {})
    return answers


def _interface_bytes() -> int:
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()
    (line,) = [line for line in lines if line.split(":")[0].strip() == "lo"]
    return int(line.split(":")[1].split()[0])


def _truth(given: list[Arrays]) -> list[np.ndarray]:
    matrices = np.concatenate([arrays["matrices"] for arrays in given]).astype(np.float64)
    results: list[np.ndarray] = []
    for arrays in given:
        x, out = arrays["x"].astype(np.float64), np.zeros(arrays["x"].shape)
        for expert, matrix in enumerate(matrices):
            tokens, slots = np.nonzero(arrays["experts"] == expert)
            hidden = np.maximum(x[tokens] @ matrix, 0)
            out[tokens] += arrays["weights"][tokens, slots, None] * hidden
        results.append(out)
    return results


def _error(got: np.ndarray | None, want: np.ndarray) -> float | None:
    """Return the largest error, or None for another shape or numbers that are not finite."""
    if got is None or got.shape != want.shape or not np.isfinite(got).all():
        return None
    return float(np.abs(got - want).max(initial=0.0))


def _fewest(given: list[Arrays], per_rank: int) -> int:
    """Return the bytes if a token is sent to each other rank once, and one row comes back."""
    rows = 0
    for rank, arrays in enumerate(given):
        for wanted in arrays["experts"] // per_rank:
            rows += len(set(wanted.tolist()) - {rank})
    return 2 * rows * given[0]["x"].shape[1] * 4
