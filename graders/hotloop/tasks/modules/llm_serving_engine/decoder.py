"""The small decoder again, for the judge: float64, each sequence whole and contiguous."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core import paths

Floats = NDArray[np.float64]

CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))
END = 0
"""The token after which a completion ends."""

TEMPERATURE = 0.6
WIDTH, LAYERS, HEADS, KV_HEADS, HEAD_DIM = 64, 2, 4, 2, 16


@cache
def weights() -> dict[str, Floats]:
    """Return the weights that learners are given, as float64."""
    with np.load(paths.exercises() / "llm_serving_engine" / "decoder.npz") as file:
        return {name: file[name].astype(np.float64) for name in file.files}


def logits(tokens: Sequence[int]) -> Floats:
    """Return the logits after each of the n tokens of one sequence: [n, 96]."""
    w, n = weights(), len(tokens)
    x = w["embedding"][list(tokens)] + _places(n)
    for layer in range(LAYERS):
        h = _normalized(x) * w[f"{layer}.attention_scale"]
        q, k, v = ((h @ w[f"{layer}.{name}"]).reshape(n, -1, HEAD_DIM) for name in "qkv")
        x = x + attention(q, k, v).reshape(n, -1) @ w[f"{layer}.o"]
        h = _normalized(x) * w[f"{layer}.mlp_scale"]
        x = x + np.maximum(h @ w[f"{layer}.up"], 0) ** 2 @ w[f"{layer}.down"]
    return (_normalized(x) * w["scale"]) @ w["embedding"].T


def attention(q: Floats, k: Floats, v: Floats) -> Floats:
    """Causal attention of the last n queries over all t keys: q [n, H, D], k and v [t, KV, D]."""
    n, t, group = len(q), len(k), q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = np.einsum("nhd,thd->hnt", q, k) / np.sqrt(q.shape[-1])
    scores[:, np.triu(np.ones((n, t), bool), t - n + 1)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("hnt,thd->nhd", shares, v)


def completion(prompt: Sequence[int], most: int, seed: int) -> list[int]:
    """Sample as `runner.py` does: up to `most` tokens, or up to and including an END."""
    tokens = list(prompt)
    while len(tokens) - len(prompt) < most:
        tokens.append(sampled(logits(tokens)[-1], seed, len(tokens)))
        if tokens[-1] == END:
            break
    return tokens[len(prompt) :]


def sampled(last: Floats, seed: int, position: int) -> int:
    """Return the token at `position`, given the logits [96] before it."""
    noise = np.random.default_rng([seed, position]).gumbel(size=len(last))
    return int((last / TEMPERATURE + noise).argmax())


def text(tokens: Sequence[int]) -> str:
    """Return the tokens as a string."""
    return "".join(CHARACTERS[token] for token in tokens)


def _normalized(x: Floats) -> Floats:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def _places(n: int) -> NDArray[Any]:
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(WIDTH // 2) / (WIDTH // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
