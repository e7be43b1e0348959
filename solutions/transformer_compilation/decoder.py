"""A small decoder as plain tensors, and what it computes if it attends to all tokens at once.

Nothing in here knows a cache: each token's scores are computed from all tokens before it. That is
right, simple, and far too slow for writing an answer.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

VOCABULARY, LAYERS, HEADS, WIDTH, LONGEST = 256, 4, 4, 64, 128
"""Of the decoder that `load` gives. The judge draws others."""

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Weights = dict[str, Tensor]


def shapes(vocabulary: int, layers: int, width: int, longest: int) -> dict[str, tuple[int, ...]]:
    """Of all weights, by name. What each layer has is stacked."""
    square = (layers, width, width)
    return {
        "words": (vocabulary, width),
        "places": (longest, width),
        "before_attention": (layers, 2, width),  # weight and bias of a norm
        "query": square,
        "query_bias": (layers, width),
        "key": square,
        "key_bias": (layers, width),
        "value": square,
        "value_bias": (layers, width),
        "out": square,
        "before_mlp": (layers, 2, width),
        "up": (layers, width, 4 * width),
        "up_bias": (layers, 4 * width),
        "down": (layers, 4 * width, width),
        "last": (2, width),
        "head": (width, vocabulary),
    }


def scores(weights: Weights, heads: int, tokens: Tensor) -> Tensor:
    """Of the token that comes next, behind each of `tokens`.

    tokens: int64 [rows, n]. Returns float32 [rows, n, vocabulary].
    """
    rows, n = tokens.shape
    x = weights["words"][tokens] + weights["places"][:n]
    width = x.shape[-1]
    hidden = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
    for layer in range(len(weights["out"])):
        h = normed(x, weights["before_attention"][layer])
        q, k, v = (
            (h @ weights[name][layer] + weights[f"{name}_bias"][layer])
            .reshape(rows, n, heads, -1)
            .transpose(1, 2)
            for name in ("query", "key", "value")
        )
        products = q @ k.mT / math.sqrt(width // heads)
        attended = torch.softmax(products.masked_fill(hidden, -torch.inf), -1) @ v
        x = x + attended.transpose(1, 2).reshape(rows, n, width) @ weights["out"][layer]
        h = normed(x, weights["before_mlp"][layer])
        h = functional.gelu(
            h @ weights["up"][layer] + weights["up_bias"][layer], approximate="tanh"
        )
        x = x + h @ weights["down"][layer]
    return normed(x, weights["last"]) @ weights["head"]


def normed(x: Tensor, both: Tensor) -> Tensor:
    """A layer norm with its weight and bias."""
    return functional.layer_norm(x, x.shape[-1:], both[0], both[1])


def load(seed: int) -> Weights:
    """Weights for this seed, on the device."""
    draw = torch.Generator().manual_seed(seed)
    found = {}
    for name, shape in shapes(VOCABULARY, LAYERS, WIDTH, LONGEST).items():
        values = torch.randn(shape, generator=draw)
        if name in ("before_attention", "before_mlp", "last"):
            values = torch.stack([1 + values.select(-2, 0) / 4, values.select(-2, 1) / 4], -2)
        elif name == "head":
            values *= 4 / math.sqrt(WIDTH)
        elif name not in ("words", "places"):
            values /= math.sqrt(shape[-2]) if len(shape) == 3 else 4
        found[name] = values.to(DEVICE)
    return found
