"""Hidden keys and values for a cache of four bits: what is stored, and attention over it.

Keys have channels that are large for all tokens, as those of trained models have; values have none.
Scheme: Liu et al., KIVI, 2024.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_message
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng

Floats = NDArray[np.float64]

ROUNDED = 2.0**-10
"""Relative error that rounding a low and a scale to float16 may add."""

SHAPES = ((32, 2, 16, 8), (45, 1, 32, 16), (70, 3, 16, 16), (9, 2, 16, 8))
"""Tokens, heads, dim, group."""


def caches(rng: Rng) -> Iterator[Question]:
    """Yield keys and values that fill their last group of tokens or do not."""
    for tokens, heads, dim, group in SHAPES:
        keys, values = _sampled(rng, tokens, heads, dim)
        given = {"keys": keys.tolist(), "values": values.tolist(), "group": group}
        yield Question(
            f"{tokens} tokens in groups of {group}",
            (GivenFile("tokens.json", json.dumps(given).encode()),),
            partial(_cache_mismatch, keys, values, group),
        )


def queries(rng: Rng) -> Iterator[Question]:
    """Yield caches of ours, and newest tokens that are not quantized."""
    for even, heads, dim, group in SHAPES:
        tokens = even | 1  # so that there is a newest token
        keys, values = _sampled(rng, tokens, heads, dim)
        whole = tokens // group * group
        cache, k, v = _quantized(keys[:whole], values[:whole], group)
        q = rng.standard_normal((2 * heads, dim)).astype(np.float32).astype(np.float64)
        given = {
            "q": q.tolist(),
            "cache": {name: array.tolist() for name, array in cache.items()},
            "keys": keys[whole:].tolist(),
            "values": values[whole:].tolist(),
            "group": group,
        }
        k, v = np.concatenate([k, keys[whole:]]), np.concatenate([v, values[whole:]])
        yield Question(
            f"{tokens} tokens, {tokens - whole} of them not quantized",
            (GivenFile("cache.json", json.dumps(given).encode()),),
            partial(_output_mismatch, _attention(q, k, v)),
        )


def _sampled(rng: Rng, tokens: int, heads: int, dim: int) -> tuple[Floats, Floats]:
    """Return keys and values that float32 holds exactly."""
    keys = rng.standard_normal((tokens, heads, dim))
    large = rng.integers(0, dim, heads)
    keys[:, range(heads), large] = 14 + 2 * keys[:, range(heads), large]
    values = rng.standard_normal((tokens, heads, dim)) * rng.uniform(0.2, 4.0, (tokens, 1, 1))
    return keys.astype(np.float32).astype(float), values.astype(np.float32).astype(float)


def _groups(x: Floats, group: int, *, of_tokens: bool) -> tuple[Floats, int]:
    """Return x with its groups along an axis, and that axis."""
    tokens, heads, dim = x.shape
    if of_tokens:
        return x.reshape(tokens // group, group, heads, dim), 1
    return x.reshape(tokens, heads, dim // group, group), 3


def _quantized(
    keys: Floats, values: Floats, group: int
) -> tuple[dict[str, NDArray[Any]], Floats, Floats]:
    """Return a cache, and the keys and values that it stands for."""
    cache, meant = dict[str, NDArray[Any]](), dict[str, Floats]()
    for name, x in (("k", keys), ("v", values)):
        grouped, axis = _groups(x, group, of_tokens=name == "k")
        low = grouped.min(axis, keepdims=True).astype(np.float16).astype(float)
        scale = ((grouped.max(axis, keepdims=True) - low) / 15).astype(np.float16).astype(float)
        codes = np.clip(np.rint((grouped - low) / np.where(scale > 0, scale, 1)), 0, 15)
        meant[name] = (low + scale * codes).reshape(x.shape)
        flat = codes.reshape(x.shape).astype(np.uint8)
        cache[f"{name}_codes"] = flat[..., 0::2] | flat[..., 1::2] << 4
        cache[f"{name}_low"], cache[f"{name}_scale"] = low.squeeze(axis), scale.squeeze(axis)
    return cache, meant["k"], meant["v"]


def _attention(q: Floats, k: Floats, v: Floats) -> Floats:
    k, v = (np.repeat(x, len(q) // x.shape[1], 1) for x in (k, v))
    scores = np.einsum("hd,thd->ht", q, k) / np.sqrt(q.shape[-1])
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("ht,thd->hd", shares / shares.sum(-1, keepdims=True), v)


def _cache_mismatch(keys: Floats, values: Floats, group: int, answer: object) -> str | None:
    got = as_message(answer)
    if got is None:
        return f"it returns {shown(answer)}, not a dict"
    whole = len(keys) // group * group
    for name, x in (("k", keys[:whole]), ("v", values[:whole])):
        grouped, axis = _groups(x, group, of_tokens=name == "k")
        sizes = tuple(n for place, n in enumerate(grouped.shape) if place != axis)
        shapes = {
            f"{name}_codes": (*x.shape[:2], x.shape[2] // 2),
            f"{name}_low": sizes,
            f"{name}_scale": sizes,
        }
        arrays = {part: _array(got.get(part), shape) for part, shape in shapes.items()}
        for part, array in arrays.items():
            if array is None:
                return f"{part} is {shown(got.get(part))}, expected numbers of shape {shapes[part]}"
        codes, low, scale = (arrays[part] for part in shapes)
        assert codes is not None and low is not None and scale is not None  # noqa: PT018
        if mismatch := _values_mismatch(name, grouped, axis, codes, low, scale):
            return mismatch
    return None


def _array(value: object, shape: tuple[int, ...]) -> Floats | None:
    """Return an answer as an array of this shape, or None if it is none."""
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        return None
    return array if array.shape == shape and np.isfinite(array).all() else None


def _values_mismatch(
    name: str, grouped: Floats, axis: int, codes: Floats, low: Floats, scale: Floats
) -> str | None:
    if not np.array_equal(codes, codes.astype(np.uint8)):
        return f"{name}_codes has numbers that are no bytes"
    for part, numbers in ((f"{name}_low", low), (f"{name}_scale", scale)):
        with np.errstate(over="ignore"):
            if not np.array_equal(numbers, numbers.astype(np.float16)):
                return f"{part} has numbers that are not in float16"
    whole = codes.astype(np.uint8)
    pairs = np.stack([whole & 15, whole >> 4], -1).reshape(grouped.shape)
    meant = np.expand_dims(low, axis) + np.expand_dims(scale, axis) * pairs
    lowest, highest = grouped.min(axis, keepdims=True), grouped.max(axis, keepdims=True)
    allowed = (highest - lowest) / 30 + ROUNDED * (np.abs(lowest) + np.abs(highest)) + 1e-6
    off = np.abs(meant - grouped) - allowed
    if off.max() <= 0:
        return None
    place = int(off.argmax())
    half = np.broadcast_to(allowed, off.shape).flat[place]
    return (
        f"{name} holds {meant.flat[place]:.4g} where {grouped.flat[place]:.4g} was stored, off by "
        f"more than half a step, {half:.2g}"
    )


def _output_mismatch(want: Floats, answer: object) -> str | None:
    got = _array(answer, want.shape)
    if got is None:
        return f"it returns {shown(answer)}, expected numbers of shape {want.shape}"
    off = np.abs(got - want)
    if off.max() <= 1e-3 * max(1.0, float(np.abs(want).max())):
        return None
    place = int(off.argmax())
    return f"element {place} is {got.flat[place]:.5g}, expected {want.flat[place]:.5g}"
