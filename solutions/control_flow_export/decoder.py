"""A decoder that writes answers token by token, with a cache that grows. It works, and is slow.

In each step the host launches a few dozen small kernels, and asks what came out. A GPU is done with
each of them before the next one is there.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

VOCABULARY, WIDTH, HEADS, LAYERS, LONGEST = 256, 64, 4, 3, 64
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

Cache = list[tuple[Tensor, Tensor]]


class Layer(nn.Module):
    """Attention to all that came before, and two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.mixed = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.before_mlp = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def parts(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of one token each: float32 [n, heads, 1, 16]."""
        mixed = self.mixed(self.before_attention(x)).reshape(len(x), 3, HEADS, 1, -1)
        return mixed[:, 0], mixed[:, 1], mixed[:, 2]

    def rest(self, x: Tensor, attended: Tensor) -> Tensor:
        """x: float32 [n, 64]. attended: float32 [n, heads, 1, 16]."""
        x = x + self.out(attended.reshape(len(x), WIDTH))
        return x + self.down(nn.functional.gelu(self.up(self.before_mlp(x))))


class Decoder(nn.Module):
    """One token of each answer to the scores of the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(LONGEST, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, token: Tensor, cache: Cache) -> Tensor:
        """token: int64 [n]. cache: keys and values [n, heads, place, 16] of each layer; it grows.

        Returns float32 [n, 256].
        """
        place = cache[0][0].shape[2] if cache else 0
        x = self.words(token) + self.places.weight[place]
        for number, layer in enumerate(self.layers):
            query, key, value = layer.parts(x)
            if len(cache) > number:
                before = cache[number]
                cache[number] = (torch.cat((before[0], key), 2), torch.cat((before[1], value), 2))
            else:
                cache.append((key, value))
            keys, values = cache[number]
            shares = (query @ keys.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)).softmax(-1)
            x = layer.rest(x, shares @ values)
        return self.head(x)


def load(seed: int) -> Decoder:
    """With the weights of this seed, for inference."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        decoder = Decoder().eval().requires_grad_(False)
        decoder.head.weight.mul_(8.0)
    return decoder.to(DEVICE)


@torch.inference_mode()
def generate(seed: int, first: Tensor, out: Tensor) -> None:
    """Fill `out`, int64 [n, steps], with the best next token each time. first: int64 [n]."""
    decoder, cache, token = load(seed), [], first.to(DEVICE)
    for step in range(out.shape[1]):
        token = decoder(token, cache).argmax(-1)
        for row in range(len(first)):
            out[row, step] = token[row].item()
