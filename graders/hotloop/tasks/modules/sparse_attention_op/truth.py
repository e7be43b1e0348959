"""Gated block attention in float64 NumPy: the reference for every deployment.

Shapes: B batch, H heads, N tokens, D depth, M blocks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.compare import Floats

Bools = NDArray[np.bool_]


def gates(q: Floats, k: Floats, block: int) -> Floats:
    """Return the scaled product of the blocks' means: [B, H, M, M]."""
    products = _means(q, block) @ np.swapaxes(_means(k, block), -1, -2)
    return products / math.sqrt(q.shape[-1])


def kept(q: Floats, k: Floats, threshold: Floats, block: int, causal: bool) -> Bools:
    """Return which key blocks each query block keeps: bool [B, H, M, M]."""
    chosen: Bools = gates(q, k, block) >= threshold[:, None, None]
    return np.tril(chosen) if causal else chosen


def attention(
    q: Floats, k: Floats, v: Floats, threshold: Floats, block: int, causal: bool
) -> Floats:
    """Return the output: [B, H, N, D]."""
    return _shares(q, k, _tokens(kept(q, k, threshold, block, causal), q, block, causal)) @ v


def kept_as_numbers(q: Floats, k: Floats, threshold: Floats, block: int, causal: bool) -> Floats:
    """Return `kept` as float64, for a numeric comparison."""
    return kept(q, k, threshold, block, causal).astype(np.float64)


def attention_over_lists(
    q: Floats,
    k: Floats,
    v: Floats,
    counts: NDArray[Any],
    columns: NDArray[Any],
    block: int,
    causal: bool,
) -> Floats:
    """Return the output for listed blocks: the first `counts` entries of each row of `columns`."""
    places = listed(counts, columns)
    chosen = np.zeros(columns.shape, np.bool_)
    *row, place = np.nonzero(places)
    chosen[(*row, columns[(*row, place)].astype(np.int64))] = True
    return _shares(q, k, _tokens(chosen, q, block, causal)) @ v


def listed(counts: NDArray[Any], columns: NDArray[Any]) -> Bools:
    """Return which entries of `columns` are valid: the first `counts` of each row."""
    places: NDArray[np.int64] = np.arange(columns.shape[-1], dtype=np.int64)
    return np.asarray(places < counts[..., None], np.bool_)


def gradients(
    q: Floats,
    k: Floats,
    v: Floats,
    threshold: Floats,
    grad: Floats,
    block: int,
    causal: bool,
) -> Floats:
    """Return the gradients of q, k and v for output gradient `grad`: [3, B, H, N, D].

    The choice of blocks has no gradient.
    """
    shares = _shares(q, k, _tokens(kept(q, k, threshold, block, causal), q, block, causal))
    of_shares = grad @ np.swapaxes(v, -1, -2)
    inner = (of_shares * shares).sum(-1, keepdims=True)
    of_scores = shares * (of_shares - inner) / math.sqrt(q.shape[-1])
    transposed = np.swapaxes(of_scores, -1, -2)
    return np.stack([of_scores @ k, transposed @ q, np.swapaxes(shares, -1, -2) @ grad])


def gradients_of_doubled(q: Floats, *others: Any) -> Floats:
    """Return the gradients of attention(2q, k, v) by q, k and v. others: as of `gradients`."""
    of_doubled = gradients(2 * q, *others)
    of_doubled[0] *= 2
    return of_doubled


def heads_side_by_side(
    q: Floats, k: Floats, v: Floats, threshold: Floats, block: int, causal: bool
) -> Floats:
    """Return the output with heads concatenated, as a projection expects it: [B, N, H·D]."""
    out = attention(q, k, v, threshold, block, causal)
    return np.swapaxes(out, 1, 2).reshape(out.shape[0], out.shape[2], -1)


def _means(x: Floats, block: int) -> Floats:
    """Return the mean of each block's tokens; a shorter last block is not padded."""
    length = x.shape[2]
    starts: NDArray[np.int64] = np.arange(0, length, block, dtype=np.int64)
    sizes = np.minimum(block, length - starts)
    return np.add.reduceat(x, starts, axis=2) / sizes[:, None]


def _tokens(blocks: Bools, q: Floats, block: int, causal: bool) -> Bools:
    length = q.shape[2]
    allowed = np.repeat(np.repeat(blocks, block, -2), block, -1)[..., :length, :length]
    return np.tril(allowed) if causal else allowed


def _shares(q: Floats, k: Floats, allowed: Bools) -> Floats:
    """Return the softmax over allowed keys; a row without allowed keys is all zeros."""
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    scores = np.where(allowed, scores, -np.inf)
    highest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0.0))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total)
