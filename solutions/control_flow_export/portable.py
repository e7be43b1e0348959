"""The encoder as one graph, for any number of messages of any length: task 4."""

import encoder
import torch
from torch import nn


### BEGIN SOLUTION control_flow_export.export
### STUB def export(seed, target):
### STUB     """Write load(seed) as an exported program (torch.export.save) to `target`.
### STUB
### STUB     Inputs in this order: tokens, int64 [n, length]; kind, int64 []. Out: float32 [n, 8].
### STUB     n from 1 to 64 and length from 1 to 128 are free.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.export")
class Portable(nn.Module):
    """The same function; each decision is arithmetic, or an operator with two functions."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def forward(self, tokens, kind):
        """As the source's."""
        length = tokens.shape[1]
        places = torch.arange(length, device=tokens.device)
        distance = places[:, None] - places[None, :]
        allowed = self.pattern(distance, places, length, kind)[None]
        real = tokens != encoder.PADDING
        allowed = allowed & real[:, None, :]
        x = self.source.words(tokens) + self.source.places(places)
        x = self.source.layers[0](x, allowed)
        guess = self.source.early(encoder.mean_of(x, real))
        certain = encoder.confidence(guess).min() > self.source.sure
        return torch.cond(certain, self.leave, self.go_on, (x, allowed, real, guess))

    def pattern(self, distance, places, length, kind):
        """bool [length, length]. Masks are cheap, so that all are computed and one is taken."""
        backward = distance >= 0
        known = backward | (places < encoder.KNOWN_FIRST)[None, :]
        anything = torch.ones_like(backward)
        pattern = torch.where(kind == encoder.CAUSAL, backward, known)
        pattern = torch.where(kind == encoder.BOTH_WAYS, anything, pattern)
        near = (distance.abs() <= encoder.REACH) | (places == 0)[None, :]
        # The length as a tensor: as a number it would have to be decided now.
        short = torch.full((), length, device=places.device) <= encoder.FULL_UP_TO
        return pattern & (near | short)

    def leave(self, x, allowed, real, guess):
        """An operator's result must not be its own input."""
        return guess.clone()

    def go_on(self, x, allowed, real, guess):
        """The layers that are left: expensive, so they are computed only where they are needed."""
        for layer in self.source.layers[1:]:
            x = layer(x, allowed)
        return self.source.head(encoder.mean_of(x, real))


def export(seed, target):
    """Write load(seed) as an exported program (torch.export.save) to `target`.

    Inputs in this order: tokens, int64 [n, length]; kind, int64 []. Out: float32 [n, 8].
    n from 1 to 64 and length from 1 to 128 are free.
    """
    # Two messages of twenty tokens: a size of one in the example would be taken for a fact.
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(encoder.CAUSAL))
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=encoder.LONGEST)}
    program = torch.export.export(
        Portable(encoder.load(seed)), example, dynamic_shapes=(free, None), strict=True
    )
    torch.export.save(program, target)


### END SOLUTION
