"""Queries and keys of which one key, or one block of keys, decides each query's result.

Scores of random queries and keys are about as large as each other: attention over half of the keys
is then far off, but a maximum over half of them is as good as any, and a score of 0 where −∞ should
be is one of many.
"""

import numpy as np

from hotloop.judge.adversarial.reductions import Floats, Places, Rng


def keys_alike(rng: Rng, shape: tuple[int, ...]) -> Floats:
    """[…, keys, width]: of one length, so that no key is nearer to another than to itself."""
    drawn = rng.standard_normal(shape)
    return drawn * np.sqrt(shape[-1]) / np.linalg.norm(drawn, axis=-1, keepdims=True)


def pointing(keys: Floats, deciding: Places, scale: float, height: float) -> Floats:
    """[queries, width]: query i gives key deciding[i] a score that is `height` above all others.

    keys: [keys, width] of `keys_alike`. scale: of the products, above 0. With a height over 104
    all other weights are 0 in float32: who misses the key, or sees it where it is hidden, is wrong
    by whole values, and a maximum that leaves it out lets its exponential overflow.
    """
    rows = np.arange(len(deciding))
    towards = keys[deciding]
    scores = scale * towards @ keys.T
    own = scores[rows, deciding].copy()
    scores[rows, deciding] = -own
    return towards * (height / (own - scores.max(axis=1)))[:, None]


def scored(
    rng: Rng, scores: Floats, queries: int, width: int, scale: float, *, spread: float = 0.5
) -> tuple[Floats, Floats]:
    """Queries [heads, queries, width] and keys [heads, keys, width], which give each query of a
    head the scores [heads, keys], and beside them what is random, about `spread` large.
    """
    heads, keys = scores.shape
    q = rng.standard_normal((heads, queries, width)) * spread / (scale * np.sqrt(width))
    k = rng.standard_normal((heads, keys, width))
    q[..., 0], k[..., 0] = 1 / scale, scores
    return q, k
