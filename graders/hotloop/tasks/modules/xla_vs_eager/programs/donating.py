"""Lowered modules with donated arguments, and what jax.jit reports about them.

Runs in a process that sees nothing of the learner's.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import jax
import numpy as np

DTYPES = ("float32", "bfloat16", "int32", "float16")
TRIES = 20


def make(number: int, seed: int) -> dict[str, Any]:
    """Write a module's text to a file; return its path and figures.

    Some donated arguments fit no result, and some arguments are not donated. Raises ValueError if
    XLA plans other bytes than expected TRIES times.
    """
    rng = np.random.default_rng(seed)
    for _ in range(TRIES):
        module = _sampled(number, rng)
        if module is not None:
            return module
    raise ValueError(f"XLA planned other bytes than were expected {TRIES} times")


def _sampled(number: int, rng: np.random.Generator) -> dict[str, Any] | None:
    """Return one module; None if XLA reuses an argument that jax.jit pairs with no result.

    XLA does so for a donated argument with as many bytes as a result of another shape or dtype. The
    module's text does not show it, so no reader could find it.
    """
    count = int(rng.integers(4, 7)) if number else 11  # beyond ten, %arg1 is a prefix of %arg10
    shapes = [tuple(int(n) for n in rng.integers(2, 9, rng.integers(1, 4))) for _ in range(count)]
    dtypes = [str(rng.choice(DTYPES)) for _ in range(count)]
    same = [bool(rng.random() < 0.7) for _ in range(count)]  # shape and dtype of the result
    same[0] = True
    donated = tuple(n for n in range(count) if rng.random() < 0.7 or n == 0)

    def function(*arguments: Any) -> list[Any]:
        results = [a * 2 if keep else a.sum() for a, keep in zip(arguments, same, strict=True)]
        return [results[place] for place in order]

    order = [int(place) for place in rng.permutation(count)]
    avals = [jax.ShapeDtypeStruct(s, d) for s, d in zip(shapes, dtypes, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some donated arguments are unusable on purpose
        lowered = jax.jit(function, donate_argnums=donated).lower(*avals)
    path = Path(tempfile.mkdtemp()) / "module.txt"
    path.write_text(lowered.as_text())
    planned = lowered.compile().memory_analysis()
    sizes = [_bytes(each) for each in avals]
    results = sum(map(_bytes, jax.tree.leaves(lowered.out_info)))
    aliased = _aliased(shapes, dtypes, same, donated, order)
    saved = sum(sizes[int(place)] for place in aliased)
    if planned.alias_size_in_bytes != saved or planned.argument_size_in_bytes != sum(sizes):
        return None
    held = sum(sizes) + results - saved
    truth = {"aliased": aliased, "arguments": sum(sizes), "results": results, "held": held}
    return {"path": str(path), **truth}


def _aliased(
    shapes: list[tuple[int, ...]],
    dtypes: list[str],
    same: list[bool],
    donated: tuple[int, ...],
    order: list[int],
) -> dict[str, int]:
    """Pair as jax.jit does: each result takes the next donated argument of its shape and dtype."""
    waiting: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for place in donated:
        waiting.setdefault((shapes[place], dtypes[place]), []).append(place)
    aliased = {}
    for result, place in enumerate(order):
        kind = (shapes[place] if same[place] else (), dtypes[place])
        if waiting.get(kind):
            aliased[str(waiting[kind].pop(0))] = result
    return aliased


def _bytes(aval: Any) -> int:
    return math.prod(aval.shape) * np.dtype(aval.dtype).itemsize
