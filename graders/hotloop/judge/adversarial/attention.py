"""Queries and keys for which one key, or one block of keys, determines each query's result.

Scores of random queries and keys are about equally large. Attention over half of the keys then
gives a large error, but a maximum over half of them is as good as any, and a score of 0 instead of
−∞ goes unnoticed.
"""

import numpy as np

from hotloop.judge.adversarial.reductions import Places
from hotloop.judge.compare import Floats
from hotloop.judge.seeds import Rng


def keys_alike(rng: Rng, shape: tuple[int, ...]) -> Floats:
    """Return keys [..., keys, width] of equal length: each key's largest score is with itself."""
    sampled = rng.standard_normal(shape)
    return sampled * np.sqrt(shape[-1]) / np.linalg.norm(sampled, axis=-1, keepdims=True)


def pointing(keys: Floats, deciding: Places, scale: float, height: float) -> Floats:
    """Return queries [queries, width]: query i scores key deciding[i] `height` above other keys.

    keys: [keys, width] of `keys_alike`.
    scale: of the scores, above 0.
    With a height over 104, all other weights are 0 in float32. So a kernel that skips the key, or
    uses it although it is masked, has a large error, and the exponential overflows if the maximum
    leaves the key out.
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
    """Return queries [heads, queries, width] and keys [heads, keys, width] with given scores.

    scores: [heads, keys], the same for each query of a head. Random terms of about `spread` are
        added.
    """
    heads, keys = scores.shape
    q = rng.standard_normal((heads, queries, width)) * spread / (scale * np.sqrt(width))
    k = rng.standard_normal((heads, keys, width))
    q[..., 0], k[..., 0] = 1 / scale, scores
    return q, k
