"""Start ranks that reduce vectors, and hand on their messages: what is sent is counted here.

Each rank is a process of its own with the candidate's code. Its messages go through this process,
which the ranks can neither read nor write.
"""

from __future__ import annotations

import selectors
import time
from typing import Any

import apart
import link_process
import links
import numpy as np
import remote

assert link_process.join  # imported before the nursery forks
NURSERY = apart.Nursery()
LIMIT_S = 30.0
MOST_BYTES = 1 << 24

ALTERED = 1000.0
"""Added to each number of each message in one of two runs. Numbers are around 1."""


def reduced(source: str, entry: str, seed: int, ranks: int, elements: int) -> dict[str, Any]:
    """Return what came of an all-reduce, and what of one whose messages were altered.

    error: the largest one, None for another length or numbers that are not finite. equal: whether
    all ranks have the same bits. untouched: ranks whose sum was the same though all messages were
    altered.
    """
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((ranks, elements)).astype(np.float32)
    truth = vectors.sum(0, dtype=np.float64)
    costs = links.Costs(ranks)
    results = _run(source, entry, vectors, costs, 0.0)
    altered = _run(source, entry, vectors, links.Costs(ranks), ALTERED) if ranks > 1 else []
    right = all(r.shape == truth.shape and np.isfinite(r).all() for r in results)
    return {
        "error": float(np.abs(results - truth).max()) if right else None,
        "equal": len({r.tobytes() for r in results}) == 1,
        "untouched": [rank for rank, r in enumerate(altered) if not _all_differ(r, truth)],
        "steps": costs.steps,
        "bytes": costs.bytes,
        "pairs": sorted(costs.pairs),
    }


def _all_differ(result: np.ndarray, truth: np.ndarray) -> bool:
    return result.shape == truth.shape and bool((np.abs(result - truth) > ALTERED / 2).all())


def _run(source: str, entry: str, vectors: np.ndarray, costs: Any, plus: float) -> list[np.ndarray]:
    """Return each rank's result. plus: what is added to each number of each message."""
    ranks = len(vectors)
    children = [
        NURSERY.start("link_process", "join", source, entry, rank, ranks) for rank in range(ranks)
    ]
    try:
        for child, vector in zip(children, vectors, strict=True):
            child.sock.settimeout(LIMIT_S)
            remote.send(child.sock, {}, vector.tobytes())
        return _served(children, costs, plus)
    finally:
        for child in children:
            child.kill()


def _served(children: list[apart.Child], costs: Any, plus: float) -> list[np.ndarray]:
    """Hand messages on until all ranks have a result. Raises Failed, or the candidate's error."""
    results: dict[int, np.ndarray] = {}
    waiting: dict[int, int] = {}  # by rank, from whom it wants a message
    until = time.monotonic() + LIMIT_S
    with selectors.DefaultSelector() as ready:
        for rank, child in enumerate(children):
            ready.register(child.sock, selectors.EVENT_READ, rank)
        while len(results) < len(children):
            if len(results) + len(waiting) == len(children):
                rank, source = min(waiting.items())
                raise apart.Failed(f"rank {rank} waits for rank {source}, which sends it nothing")
            events = ready.select(until - time.monotonic())
            if not events or time.monotonic() > until:
                raise apart.Failed("the ranks come to no end")
            for key, _ in events:
                rank = int(key.data)
                message, data = _next(children[rank], rank)
                if message["what"] == "result":
                    results[rank] = np.frombuffer(data, dtype=np.float32)
                    ready.unregister(key.fileobj)
                    continue
                other = _other(message, rank, len(children))
                if message["what"] == "send":
                    vector = np.frombuffer(data, dtype=np.float32) + np.float32(plus)
                    costs.send(rank, other, vector.tobytes())
                    rank, other = other, rank
                    if waiting.get(rank) != other:
                        continue
                waiting[rank] = other
                received = costs.receive(other, rank)
                if received is not None:
                    del waiting[rank]
                    remote.send(children[rank].sock, {}, received)
    return [results[rank] for rank in range(len(children))]


def _next(child: apart.Child, rank: int) -> tuple[dict[str, Any], bytes]:
    try:
        message, data = remote.receive(child.sock)
    except (TimeoutError, EOFError):
        raise apart.Failed(f"rank {rank} ended") from None
    if message["what"] == "ended":
        child.ended(message)
        raise apart.Failed(f"rank {rank} ended")
    if message["what"] not in ("send", "receive", "result") or len(data) > MOST_BYTES:
        raise apart.Failed(f"rank {rank} sends what is no message")
    return message, data


def _other(message: dict[str, Any], rank: int, ranks: int) -> int:
    other = message["rank"]
    if type(other) is not int or not 0 <= other < ranks or other == rank:
        raise apart.Failed(f"rank {rank} of {ranks} exchanges a message with rank {other!r:.20}")
    return other
