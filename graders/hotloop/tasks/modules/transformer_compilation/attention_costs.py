"""Bytes and minimum times of attention, kernel by kernel: hidden problems and their answers.

Standard attention is three kernels: the scores, their softmax, and the product with the values.
Tiled attention is one kernel, whose programs hold a block of queries and loop over blocks of keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown

Rng = np.random.Generator

CLOSE = 1e-3
"""Relative tolerance of a time, which is a quotient of exact numbers."""

KERNELS = ("scores", "softmax", "output", "tiled")
BYTES = ("standard_bytes", "tiled_bytes", "fewest_bytes")
TIMES = ("standard_s", "tiled_s", "bounds")


@dataclass(frozen=True)
class Problem:
    """Sizes of an attention, and a device.

    score_bytes: bytes per stored score; everything else, softmax weights included, has
    element_bytes. block_q, block_k: block sizes of the tiled kernel.
    """

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    head_dim: int
    element_bytes: int
    score_bytes: int
    causal: bool
    block_q: int
    block_k: int
    bytes_per_s: float
    flops_per_s: float
    launch_s: float


@dataclass(frozen=True)
class Cost:
    """Bytes moved and FLOPs of one kernel."""

    bytes: int
    flops: int

    def seconds(self, problem: Problem) -> float:
        """Return the minimum time: memory and arithmetic overlap, the launch overhead is added."""
        return problem.launch_s + max(self._waits(problem).values())

    def bound(self, problem: Problem) -> str:
        """Return what takes longest: "launch", "memory" or "arithmetic"."""
        waits = {"launch": problem.launch_s, **self._waits(problem)}
        return max(waits, key=lambda name: waits[name])

    def _waits(self, problem: Problem) -> dict[str, float]:
        return {
            "memory": self.bytes / problem.bytes_per_s,
            "arithmetic": self.flops / problem.flops_per_s,
        }


def costs(problem: Problem) -> dict[str, Cost]:
    """Return the cost of the three standard kernels and of the tiled one, by name in KERNELS."""
    p = problem
    query = p.batch * p.heads * p.queries * p.head_dim * p.element_bytes
    key = p.batch * p.kv_heads * p.keys * p.head_dim * p.element_bytes
    pairs = p.batch * p.heads * p.queries * p.keys
    product = 2 * pairs * p.head_dim
    stored, weights = pairs * p.score_bytes, pairs * p.element_bytes
    read, computed = _tiled(p)
    return {
        "scores": Cost(query + key + stored, product),
        "softmax": Cost(stored + weights, 0),
        "output": Cost(weights + key + query, product),
        "tiled": Cost(2 * query + read, computed),
    }


def _tiled(p: Problem) -> tuple[int, int]:
    """Return the bytes of keys and values that all programs read, and their FLOPs."""
    rows_read = pairs = 0
    for first in range(0, p.queries, p.block_q):
        last = min(first + p.block_q, p.queries)
        seen = _keys_read(p, last)
        rows_read += seen
        pairs += seen * (last - first)
    programs = p.batch * p.heads
    read = 2 * programs * rows_read * p.head_dim * p.element_bytes
    return read, 4 * programs * pairs * p.head_dim


def _keys_read(p: Problem, end: int) -> int:
    """Return the keys read by a program that ends before query `end`, in whole blocks."""
    if not p.causal:
        return p.keys
    visible = max(0, end + p.keys - p.queries)
    return min(p.keys, -(-visible // p.block_k) * p.block_k)


def truth(problem: Problem) -> dict[str, object]:
    """Return the right answer to all questions about a problem."""
    by_kernel = costs(problem)
    standard = [by_kernel[name] for name in KERNELS[:3]]
    p = problem
    once = 2 * p.batch * p.head_dim * p.element_bytes
    return {
        "standard_bytes": constant("LAYERS", 1, range(2, 401))
        * sum(cost.bytes for cost in standard),
        "tiled_bytes": by_kernel["tiled"].bytes,
        "fewest_bytes": once * (p.heads * p.queries + p.kv_heads * p.keys),
        "standard_s": sum(cost.seconds(p) for cost in standard),
        "tiled_s": by_kernel["tiled"].seconds(p),
        "bounds": [by_kernel[name].bound(p) for name in KERNELS],
    }


def questions(rng: Rng, *, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield questions about the figures in `keys`: BYTES, or TIMES and what bounds them."""
    for label, problem in problems(rng):
        file = GivenFile("problem.json", json.dumps(asdict(problem)).encode())
        yield Question(label, (file,), partial(mismatch, truth(problem), keys))


def mismatch(want: dict[str, object], keys: tuple[str, ...], answer: object) -> str | None:
    """Return a message about the first wrong figure, or None."""
    figures = as_message(answer)
    if figures is None:
        return f"the answer is {shown(answer)}, not a dict"
    wrong = (_figure_mismatch(key, figures.get(key), want[key]) for key in keys)
    return next((message for message in wrong if message is not None), None)


def _figure_mismatch(key: str, got: object, want: object) -> str | None:
    if isinstance(want, int | float):
        close = 0.0 if isinstance(want, int) else CLOSE
        return number_mismatch(f"“{key}”", got, want, close)
    by_kernel = as_message(got)
    if (as_list(got) if by_kernel is None else [*map(by_kernel.get, KERNELS)]) == want:
        return None
    return f"“{key}” is {shown(got)} and should be {shown(want)}"


def problems(rng: Rng) -> Iterator[tuple[str, Problem]]:
    """Yield labeled problems with elements and scores of all sizes.

    They are: a prefill, grouped heads, a continued sequence, a decoding step, odd sizes, queries
    that see no key, and a device with few FLOPs.
    """
    length = 128 * int(rng.integers(8, 33))
    whole = _problem(rng, queries=length, keys=length, causal=False)
    yield "A whole sequence", replace(whole, element_bytes=4)
    yield "A causal sequence", _problem(rng, queries=length, keys=length, causal=True)
    grouped = {"heads": 32, "kv_heads": int(rng.choice([1, 2, 4, 8]))}
    shared = _problem(rng, queries=length, keys=length, causal=True, **grouped)
    yield "Grouped heads", replace(shared, element_bytes=1, score_bytes=2)
    more = int(rng.integers(100, 1000))
    yield (
        "A sequence that goes on",
        _problem(rng, queries=more, keys=more + length, causal=True, **grouped),
    )
    yield "A step of decoding", _problem(rng, batch=1, queries=1, keys=length, causal=True)
    odd = int(rng.integers(1000, 3000)) | 1
    yield "Odd sizes", _problem(rng, queries=odd, keys=odd, causal=True)
    # Some programs have only queries that see no key.
    blind = _problem(rng, queries=odd + 500, keys=odd, causal=True)
    yield "More queries than keys", replace(blind, score_bytes=2)
    yield "Odd sizes, all keys", _problem(rng, queries=odd, keys=odd + 99, causal=False)
    slow = replace(
        _problem(rng, queries=length, keys=length, causal=True),
        flops_per_s=float(rng.uniform(1e13, 3e13)),
    )
    yield "A card with little arithmetic", slow


def _problem(
    rng: Rng,
    *,
    queries: int,
    keys: int,
    causal: bool,
    batch: int | None = None,
    heads: int = 16,
    kv_heads: int | None = None,
) -> Problem:
    return Problem(
        batch=batch or int(rng.integers(1, 9)),
        heads=heads,
        kv_heads=kv_heads or heads,
        queries=queries,
        keys=keys,
        head_dim=int(rng.choice([64, 128])),
        element_bytes=2,
        score_bytes=4,
        causal=causal,
        block_q=int(rng.choice([64, 128])),
        block_k=int(rng.choice([32, 64])),
        bytes_per_s=float(rng.uniform(1.5e12, 4e12)),
        flops_per_s=float(rng.uniform(3e14, 8e14)),
        launch_s=float(rng.uniform(2e-6, 5e-6)),
    )
