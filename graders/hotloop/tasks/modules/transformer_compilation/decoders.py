"""Sampled decoders, requests in progress, and their right scores in float64.

A request has a prompt, whose keys and values are already in the cache, and new tokens. After the
prompt, the cache holds stale values of earlier requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.compare import Floats
from hotloop.judge.graphs.evaluation import gelu, layer_norm
from hotloop.tasks.modules.transformer_compilation.attentions import attend

Rng = np.random.Generator
Tokens = NDArray[np.int64]
Weights = Mapping[str, Floats]

REMAINS = 8.0
"""Size of stale cache values: a decoder that reads them is far off."""

EPS = 1e-5


@dataclass(frozen=True)
class Sizes:
    """Sizes of a decoder. longest: positions of the cache; width: of all heads together."""

    rows: int
    layers: int
    heads: int
    width: int
    longest: int

    @property
    def vocabulary(self) -> int:
        """The vocabulary size, by the same formula as in decode_records.py."""
        return 7 + self.rows

    @property
    def cache(self) -> tuple[int, ...]:
        """The shape of the cache; on axis 2, keys are 0 and values are 1."""
        head = self.width // self.heads
        return (self.layers, self.rows, 2, self.heads, self.longest, head)


@dataclass(frozen=True)
class CachedRequests:
    """A replayed step: cache, first positions, tokens, and right scores after each token."""

    cache: Floats
    places: Tokens
    tokens: Tokens
    scores: Floats


def sizes(rng: Rng, rows: int) -> Sizes:
    """Sample the sizes of a decoder."""
    heads = int(rng.choice([2, 4]))
    layers, longest = int(rng.integers(2, 5)), int(rng.integers(24, 49))
    return Sizes(rows, layers, heads, heads * int(rng.choice([8, 16])), longest)


def weights(rng: Rng, size: Sizes) -> dict[str, Floats]:
    """Sample weights in the order and with the shapes of decoder.py.

    Attention weights come out neither uniform nor concentrated on one key.
    """
    layers, width = size.layers, size.width

    def product(*shape: int) -> Floats:
        return rng.standard_normal(shape) * 1.4 / np.sqrt(shape[-2])

    def norms(*shape: int) -> Floats:
        sampled = 0.25 * rng.standard_normal((*shape, 2, width))
        sampled[..., 0, :] += 1
        return sampled

    def bias(outer: int) -> Floats:
        return 0.3 * rng.standard_normal((layers, outer))

    return {
        "words": rng.standard_normal((size.vocabulary, width)),
        "places": rng.standard_normal((size.longest, width)),
        "before_attention": norms(layers),
        "query": product(layers, width, width),
        "query_bias": bias(width),
        "key": product(layers, width, width),
        "key_bias": bias(width),
        "value": product(layers, width, width),
        "value_bias": bias(width),
        "out": product(layers, width, width),
        "before_mlp": norms(layers),
        "up": product(layers, width, 4 * width),
        "up_bias": bias(4 * width),
        "down": product(layers, 4 * width, width),
        "last": norms(),
        "head": product(width, size.vocabulary),
    }


def request(rng: Rng, size: Sizes, sampled: Weights, prompts: Tokens, steps: int) -> CachedRequests:
    """Sample a request with its right scores. prompts: the prompt length of each row."""
    cache = REMAINS * rng.standard_normal(size.cache)
    tokens = rng.integers(size.vocabulary, size=(size.rows, steps))
    scores = np.empty((size.rows, steps, size.vocabulary))
    for row, length in enumerate(prompts):
        before = rng.integers(size.vocabulary, size=int(length))
        of_row, keys_values = whole(sampled, size.heads, np.concatenate([before, tokens[row]]))
        scores[row] = of_row[int(length) :]
        cache[:, row, :, :, : int(length)] = keys_values[:, :, :, : int(length)]
    return CachedRequests(cache, prompts, tokens, scores)


def whole(sampled: Weights, heads: int, tokens: Tokens) -> tuple[Floats, Floats]:
    """Return one row's scores after each token, and its keys and values.

    Keys and values: [layer, 2, head, position, head size].
    """
    x = sampled["words"][tokens] + sampled["places"][: len(tokens)]
    keys_values: list[list[Floats]] = []
    for layer in range(len(sampled["out"])):
        h = _normed(x, sampled["before_attention"][layer])
        projected = (
            h @ sampled[name][layer] + sampled[f"{name}_bias"][layer]
            for name in ("query", "key", "value")
        )
        q, k, v = (p.reshape(len(x), heads, -1).swapaxes(0, 1) for p in projected)
        keys_values.append([k, v])
        attended = attend(q, k, v, q.shape[2] ** -0.5, causal=True, cap=0.0, empty=0)
        x = x + attended.swapaxes(0, 1).reshape(x.shape) @ sampled["out"][layer]
        h = _normed(x, sampled["before_mlp"][layer])
        h = gelu(h @ sampled["up"][layer] + sampled["up_bias"][layer], "tanh")
        x = x + h @ sampled["down"][layer]
    return _normed(x, sampled["last"]) @ sampled["head"], np.array(keys_values)


def _normed(x: Floats, weight_and_shift: Floats) -> Floats:
    weight, shift = weight_and_shift
    return layer_norm(x, weight, shift, EPS)
