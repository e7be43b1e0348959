"""Tokens that a decoder generates: by attention to all tokens at once, and with a growing cache.

The first is the reference, the second the baseline of a recorded loop. Destination style: functions
fill their last argument.
"""

from __future__ import annotations

from functools import cache

import decoder
import torch
from torch.nn import functional

if decoder.DEVICE == "cpu":
    torch.set_num_threads(1)


@cache
def weights_of(seed: int) -> decoder.Weights:
    """Return the weights, on the device."""
    return decoder.load(seed)


@torch.inference_mode()
def whole(seed: int, first: torch.Tensor, out: torch.Tensor) -> None:
    """Generate without a cache. first: int64 [rows]. out: int64 [rows, steps]."""
    weights = weights_of(seed)
    tokens = first.to(decoder.DEVICE)[:, None]
    for _ in range(out.shape[1]):
        best = decoder.scores(weights, decoder.HEADS, tokens)[:, -1].argmax(-1)
        tokens = torch.cat((tokens, best[:, None]), 1)
    out.copy_(tokens[:, 1:])


@torch.inference_mode()
def grown(seed: int, first: torch.Tensor, out: torch.Tensor) -> None:
    """Generate eagerly, concatenating keys and values at each step."""
    weights, heads = weights_of(seed), decoder.HEADS
    token = first.to(decoder.DEVICE)
    before: list[tuple[torch.Tensor, torch.Tensor]] = []
    written = []
    for place in range(out.shape[1]):
        token = _step(weights, heads, token, place, before).argmax(-1)
        written.append(token)
    out.copy_(torch.stack(written, 1))


def _step(
    weights: decoder.Weights,
    heads: int,
    token: torch.Tensor,
    place: int,
    before: list[tuple[torch.Tensor, torch.Tensor]],
) -> torch.Tensor:
    x = weights["words"][token] + weights["places"][place]
    for layer in range(len(weights["out"])):
        h = decoder.normed(x, weights["before_attention"][layer])
        q, k, v = (
            (h @ weights[name][layer] + weights[f"{name}_bias"][layer]).view(len(x), heads, 1, -1)
            for name in ("query", "key", "value")
        )
        if place:
            k, v = (torch.cat(pair, 2) for pair in zip(before[layer], (k, v), strict=True))
            before[layer] = (k, v)
        else:
            before.append((k, v))
        shares = torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, -1)
        x = x + (shares @ v).reshape(x.shape) @ weights["out"][layer]
        h = decoder.normed(x, weights["before_mlp"][layer])
        h = h @ weights["up"][layer] + weights["up_bias"][layer]
        x = x + functional.gelu(h, approximate="tanh") @ weights["down"][layer]
    return decoder.normed(x, weights["last"]) @ weights["head"]
