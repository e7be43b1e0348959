"""The encoder in TorchScript, which is legacy and still in many products: task 2."""

import encoder
import torch
from torch import Tensor, nn


### BEGIN SOLUTION control_flow_export.script_it
### STUB def scripted(seed, target):
### STUB     """Write load(seed), scripted, to `target`. Inputs and output are the source's."""
### STUB     raise NotImplementedError("control_flow_export.script_it")
class Scriptable(nn.Module):
    """The same function in the part of Python that TorchScript reads."""

    def __init__(self, source: encoder.Encoder) -> None:
        super().__init__()
        self.words = source.words
        self.places = source.places
        self.first = source.layers[0]
        self.others = nn.ModuleList(source.layers[1:])
        self.early = source.early
        self.head = source.head
        self.register_buffer("sure", source.sure)

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        """As the source's."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        distance = places[:, None] - places[None, :]
        pattern = masked(distance, int(kind))
        if tokens.shape[1] > 32:
            pattern = pattern & ((distance.abs() <= 8) | (places == 0)[None, :])
        real = tokens != 0
        allowed = pattern[None] & real[:, None, :]
        x = self.first(self.words(tokens) + self.places(places), allowed)
        guess = self.early(encoder.mean_of(x, real))
        if bool(encoder.confidence(guess).min() > self.sure):
            return guess
        for layer in self.others:
            x = layer(x, allowed)
        return self.head(encoder.mean_of(x, real))


def masked(distance: Tensor, kind: int) -> Tensor:
    """A dict of functions is nothing that TorchScript knows; an if is."""
    if kind == 0:
        return encoder.both_ways(distance)
    if kind == 1:
        return encoder.causal(distance)
    return encoder.prefix(distance)


def scripted(seed, target):
    """Write load(seed), scripted, to `target`. Inputs and output are the source's."""
    torch.jit.script(Scriptable(encoder.load(seed)).eval()).save(target)


### END SOLUTION
