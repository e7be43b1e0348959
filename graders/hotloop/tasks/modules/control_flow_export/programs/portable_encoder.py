"""The encoder as an exported program, which learners get to compile into a package."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import encoder
import torch
from torch import Tensor, nn

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


class Portable(nn.Module):
    """The same function as the source, without decisions in Python."""

    def __init__(self, source: encoder.Encoder) -> None:
        super().__init__()
        self.source = source

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        """Map tokens and kind to scores, as the source does."""
        places = torch.arange(tokens.shape[1])
        distance = places[:, None] - places[None, :]
        allowed = distance >= 0
        first = (places < encoder.KNOWN_FIRST)[None, :]
        allowed = allowed | (first & (kind == encoder.PREFIX)) | (kind == encoder.BOTH_WAYS)
        near = (distance.abs() <= encoder.REACH) | (places == 0)[None, :]
        short = torch.full((), tokens.shape[1]) <= encoder.FULL_UP_TO
        real = tokens != encoder.PADDING
        seen = (allowed & (near | short))[None] & real[:, None, :]
        x = self.source.layers[0](self.source.words(tokens) + self.source.places(places), seen)
        guess = self.source.early(encoder.mean_of(x, real))
        certain = encoder.confidence(guess).min() > self.source.sure
        return torch.cond(certain, leave, self.go_on, (x, seen, real, guess))

    def go_on(self, x: Tensor, seen: Tensor, real: Tensor, _guess: Tensor) -> Tensor:
        """Run the other layers."""
        for layer in self.source.layers[1:]:
            x = layer(x, seen)
        return self.source.head(encoder.mean_of(x, real))


def leave(_x: Tensor, _seen: Tensor, _real: Tensor, guess: Tensor) -> Tensor:
    """Return the first layer's guess."""
    return guess.clone()


def write(weights: int) -> str:
    """Export load(weights) for 1 to 64 messages of 1 to 128 tokens; return the file's path."""
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(encoder.BOTH_WAYS))
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=encoder.LONGEST)}
    model = Portable(encoder.load(weights))
    program = torch.export.export(model, example, dynamic_shapes=(free, None), strict=True)
    path = Path(tempfile.mkdtemp()) / "encoder.pt2"
    torch.export.save(program, path)
    return str(path)
