"""A small decoder in numpy: 96 characters, two layers, four query heads over two key/value heads.

It was trained on Hotloop's own lessons, one character a token (`train_decoder.py` beside the
module's recordings). Attention is not part of it: the caller of `forward` passes a function
that stores keys and values and reads them.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))
"""Token t is the character CHARACTERS[t]. Token 0, the end of a line, ends a completion."""

WIDTH, LAYERS, HEADS, KV_HEADS, HEAD_DIM = 64, 2, 4, 2, 16

Attend = Callable[[int, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(layer, q, k, v) -> output. q, output: [n, HEADS, HEAD_DIM]; k, v: [n, KV_HEADS, HEAD_DIM]."""


def encode(text: str) -> list[int]:
    """Tokens of a text. ValueError for a character that the decoder does not know."""
    return [CHARACTERS.index(character) for character in text]


def decode(tokens: list[int]) -> str:
    """The text of some tokens."""
    return "".join(CHARACTERS[token] for token in tokens)


class Decoder:
    """The weights, for a computation in float32; they are stored as float16."""

    def __init__(self) -> None:
        with np.load(Path(__file__).with_name("decoder.npz")) as file:
            self.w = {name: file[name].astype(np.float32) for name in file.files}

    def forward(self, tokens: list[int], positions: list[int], attend: Attend) -> np.ndarray:
        """Logits [n, 96] after each of n tokens, which may belong to several sequences.

        positions: of each token in its sequence, from 0.
        """
        w, n = self.w, len(tokens)
        x = w["embedding"][tokens] + places(np.asarray(positions)).astype(np.float32)
        for layer in range(LAYERS):
            h = normalized(x) * w[f"{layer}.attention_scale"]
            q = (h @ w[f"{layer}.q"]).reshape(n, HEADS, HEAD_DIM)
            k, v = (h @ w[f"{layer}.{name}"] for name in "kv")
            shape = (n, KV_HEADS, HEAD_DIM)
            out = attend(layer, q, k.reshape(shape), v.reshape(shape))
            x = x + out.reshape(n, HEADS * HEAD_DIM) @ w[f"{layer}.o"]
            h = normalized(x) * w[f"{layer}.mlp_scale"]
            x = x + np.maximum(h @ w[f"{layer}.up"], 0) ** 2 @ w[f"{layer}.down"]
        return (normalized(x) * w["scale"]) @ w["embedding"].T


def normalized(x: np.ndarray) -> np.ndarray:
    """RMS norm over the last axis, without its scale."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def places(positions: np.ndarray) -> np.ndarray:
    """Sines and cosines of positions, [n, WIDTH] (Vaswani et al. 2017)."""
    rates = 10000.0 ** (-np.arange(WIDTH // 2) / (WIDTH // 2))
    angles = positions[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
