"""The encoder that sorts messages into eight queues, as its authors wrote it.

Three decisions in `forward` depend on what comes in: which mask (by `kind`), which pattern of
attention (by the length), and whether one layer was enough (by how sure the first guess is).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

VOCABULARY, WIDTH, HEADS, LAYERS, QUEUES = 512, 64, 4, 2, 8
PADDING = 0
"""The token that fills a message up to its neighbors' length; it comes last."""

LONGEST = 128
FULL_UP_TO, REACH = 32, 8
"""Up to 32 tokens each sees all; in a longer message those within 8, and the first one."""

BOTH_WAYS, CAUSAL, PREFIX = 0, 1, 2
KNOWN_FIRST = 4
"""Of kind PREFIX: this many tokens are seen by all, the rest only by those that come later."""


def both_ways(distance: Tensor) -> Tensor:
    """bool [length, length]: which token sees which; distance[i, j] is i - j."""
    return torch.ones_like(distance, dtype=torch.bool)


def causal(distance: Tensor) -> Tensor:
    """Only what came before."""
    return distance >= 0


def prefix(distance: Tensor, known: int = KNOWN_FIRST) -> Tensor:
    """What came before, and the first tokens."""
    places = torch.arange(distance.shape[1], device=distance.device)
    return (distance >= 0) | (places < known)[None, :]


MASKS = {BOTH_WAYS: both_ways, CAUSAL: causal, PREFIX: prefix}


class Layer(nn.Module):
    """Attention and two linear layers, each with a residual around it."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = HEADS
        self.before_attention = nn.LayerNorm(WIDTH)
        self.mixed = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.before_mlp = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor, allowed: Tensor) -> Tensor:
        """x: float32 [n, length, 64]. allowed: bool [n, length, length]."""
        n, length, width = x.shape
        mixed = self.mixed(self.before_attention(x)).reshape(n, length, 3, self.heads, -1)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(width // self.heads)
        shares = scores.masked_fill(~allowed.unsqueeze(1), -1e9).softmax(-1)
        x = x + self.out((shares @ values).transpose(1, 2).reshape(n, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.before_mlp(x))))


class Encoder(nn.Module):
    """Tokens to scores for eight queues."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(LONGEST, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.early = nn.Linear(WIDTH, QUEUES)
        self.head = nn.Linear(WIDTH, QUEUES)
        self.register_buffer("sure", torch.tensor(0.5))

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        """tokens: int64 [n, length], 1 to 128 of them. kind: int64 []. float32 [n, 8]."""
        length = tokens.shape[1]
        places = torch.arange(length, device=tokens.device)
        distance = places[:, None] - places[None, :]
        pattern = MASKS[int(kind)](distance)
        if length > FULL_UP_TO:
            pattern = pattern & ((distance.abs() <= REACH) | (places == 0)[None, :])
        real = tokens != PADDING
        allowed = pattern[None] & real[:, None, :]
        x = self.layers[0](self.words(tokens) + self.places(places), allowed)
        guess = self.early(mean_of(x, real))
        if confidence(guess).min() > self.sure:
            return guess
        for layer in self.layers[1:]:
            x = layer(x, allowed)
        return self.head(mean_of(x, real))


def mean_of(x: Tensor, real: Tensor) -> Tensor:
    """float32 [n, 64]: of the tokens that are no padding."""
    weight = real.unsqueeze(-1).to(x.dtype)
    return (x * weight).sum(1) / weight.sum(1)


def confidence(scores: Tensor) -> Tensor:
    """float32 [n]: the share of the best queue."""
    return scores.softmax(-1).amax(-1)


def load(seed: int) -> Encoder:
    """The encoder with the weights of this seed, for inference. About half of all single messages
    leave it after the first layer.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        encoder = Encoder().eval().requires_grad_(False)
        for last in (encoder.early, encoder.head):
            last.weight.mul_(12.0)
        tried = torch.randint(1, VOCABULARY, (128, 24))
        encoder.sure.fill_(1.0)
        first = encoder.layers[0](
            encoder.words(tried) + encoder.places(torch.arange(24)),
            torch.ones(128, 24, 24, dtype=torch.bool),
        )
        encoder.sure.copy_(confidence(encoder.early(first.mean(1))).median())
    return encoder
