"""The decoder's step with fixed shapes and places, ready for a CUDA graph: task 7."""

import math
from functools import cache

import decoder
import torch
from torch import nn

HEAD_WIDTH = decoder.WIDTH // decoder.HEADS
MESSAGES = 4


### BEGIN SOLUTION control_flow_export.decode_graphs
### STUB def export_step(seed, target):
### STUB     """Write one step of decoder.load(seed), for four answers, as an exported program.
### STUB
### STUB     Inputs in this order, none of them of a free size: token, int64 [4]; place, int64 [];
### STUB     keys and values, float32 [3, 4, 4, 64, 16] each, which the step changes in place.
### STUB     Output: float32 [4, 256].
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.decode_graphs")
class Step(nn.Module):
    """One token more. Nothing in it has a size that depends on how far the answer is."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def forward(self, token, place, keys, values):
        """Where the token stands is a tensor, so that a replay reads it anew."""
        x = self.source.words(token) + self.source.places(place)
        there = torch.arange(decoder.LONGEST, device=token.device)
        for number, layer in enumerate(self.source.layers):
            query, key, value = layer.parts(x)
            keys[number].index_copy_(2, place[None], key)
            values[number].index_copy_(2, place[None], value)
            scores = query @ keys[number].transpose(-2, -1) / math.sqrt(HEAD_WIDTH)
            shares = scores.masked_fill(there > place, -math.inf).softmax(-1)
            x = layer.rest(x, shares @ values[number])
        return self.source.head(x)


def buffers(n, device):
    """Token, place, keys and values, at addresses that stay."""
    size = (decoder.LAYERS, n, decoder.HEADS, decoder.LONGEST, HEAD_WIDTH)
    return (
        torch.zeros(n, dtype=torch.int64, device=device),
        torch.zeros((), dtype=torch.int64, device=device),
        torch.zeros(size, device=device),
        torch.zeros(size, device=device),
    )


def export_step(seed, target):
    """Write one step of decoder.load(seed), for four answers, as an exported program.

    Inputs in this order, none of them of a free size: token, int64 [4]; place, int64 [];
    keys and values, float32 [3, 4, 4, 64, 16] each, which the step changes in place.
    Output: float32 [4, 256].
    """
    step = Step(decoder.load(seed).cpu())
    torch.export.save(torch.export.export(step, buffers(MESSAGES, "cpu"), strict=True), target)


### END SOLUTION


### BEGIN SOLUTION control_flow_export.decode_graphs generate
### STUB def generate(seed, first, out):
### STUB     """Fill `out`, int64 [n, steps], as decoder.generate does; on a GPU by a CUDA graph."""
### STUB     raise NotImplementedError("control_flow_export.decode_graphs")
class Loop:
    """A step and its buffers; on a GPU, the recording of the step."""

    def __init__(self, seed, n):
        self.step = Step(decoder.load(seed))
        self.token, self.place, self.keys, self.values = buffers(n, decoder.DEVICE)
        self.graph = None
        if decoder.DEVICE == "cuda":
            self.record()

    def record(self):
        """Warm up on another stream, as libraries allocate at their first call; then record."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.advance()
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.advance()

    def advance(self):
        """The next token of each answer into `token`, and on to the next place."""
        scores = self.step(self.token, self.place, self.keys, self.values)
        self.token.copy_(scores.argmax(-1))
        self.place.add_(1)

    def run(self, first, out):
        """All steps; the host asks for the tokens once, at the end."""
        self.token.copy_(first)
        self.place.zero_()
        written = torch.empty(out.T.shape, dtype=torch.int64, device=decoder.DEVICE)
        for row in written:
            if self.graph is None:
                self.advance()
            else:
                self.graph.replay()
            row.copy_(self.token)
        out.copy_(written.T)


@cache
def loop(seed, n):
    """Recorded once for each size."""
    return Loop(seed, n)


@torch.inference_mode()
def generate(seed, first, out):
    """Fill `out`, int64 [n, steps], as decoder.generate does; on a GPU by a CUDA graph."""
    loop(seed, len(first)).run(first, out)


### END SOLUTION
