"""Reads the places as Python numbers, which a recording cannot wait for.

fails: decode_step.correct
"""

### BEGIN SOLUTION transformer_compilation.decode_step
from functools import cache as remembered

import decoder
import torch
from torch.nn import functional

TIED = ("query", "key", "value")
WARM_UPS = 3


def prepare(weights, cache):
    """What every step needs: three products made one, and the numbers of rows and places."""
    return {
        **weights,
        "mixed": torch.cat([weights[name] for name in TIED], -1),
        "mixed_bias": torch.cat([weights[f"{name}_bias"] for name in TIED], -1),
        "rows": torch.arange(cache.shape[1], device=cache.device),
        "there": torch.arange(cache.shape[4], device=cache.device),
        "seen": torch.zeros((), device=cache.device),
        "hidden": torch.full((), -torch.inf, device=cache.device),
    }


def step(ready, token, place, cache, out):
    """Fill `out` with the scores behind one token of each row."""
    layers, rows, _, heads, _, size = cache.shape
    longest = max(int(each) for each in place) + 1
    x = ready["words"][token] + ready["places"][place]
    # Behind a row's place lies what earlier requests have left. One mask serves all layers.
    visible = ready["there"] <= place[:, None]
    mask = torch.where(visible, ready["seen"], ready["hidden"])[:, None, None, :]
    for layer in range(layers):
        h = decoder.normed(x, ready["before_attention"][layer])
        parts = torch.addmm(ready["mixed_bias"][layer], h, ready["mixed"][layer])
        parts = parts.view(rows, 3, heads, size)
        # Each row has a place of its own; keys and values go there together.
        cache[layer][ready["rows"], :, :, place] = parts[:, 1:]
        keys, values = cache[layer][:, :, :, :longest].unbind(1)
        attended = functional.scaled_dot_product_attention(
            parts[:, 0, :, None], keys, values, attn_mask=mask[..., :longest]
        )
        x = torch.addmm(x, attended.reshape(rows, -1), ready["out"][layer])
        h = decoder.normed(x, ready["before_mlp"][layer])
        h = torch.addmm(ready["up_bias"][layer], h, ready["up"][layer])
        x = torch.addmm(x, functional.gelu(h, approximate="tanh"), ready["down"][layer])
    torch.mm(decoder.normed(x, ready["last"]), ready["head"], out=out)


class Loop:
    """Tensors that stay where they are, and on a GPU the graph that works on them."""

    def __init__(self, seed, rows):
        weights, device = decoder.load(seed), decoder.DEVICE
        size = decoder.WIDTH // decoder.HEADS
        shape = (decoder.LAYERS, rows, 2, decoder.HEADS, decoder.LONGEST, size)
        self.cache = torch.zeros(shape, device=device)
        self.token = torch.zeros(rows, dtype=torch.int64, device=device)
        self.place = torch.zeros(rows, dtype=torch.int64, device=device)
        self.written = torch.zeros(rows, decoder.LONGEST, dtype=torch.int64, device=device)
        self.scores = torch.zeros(rows, decoder.VOCABULARY, device=device)
        self.ready = prepare(weights, self.cache)
        self.graph = None
        if device == "cuda":
            self.record()

    def advance(self):
        """One token further; nothing leaves the device."""
        step(self.ready, self.token, self.place, self.cache, self.scores)
        self.token.copy_(self.scores.argmax(-1))
        self.written.scatter_(1, self.place[:, None], self.token[:, None])
        self.place.add_(1)

    def record(self):
        """Libraries choose their kernels in the first calls, which must not be recorded."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(WARM_UPS):
                self.advance()
        torch.cuda.current_stream().wait_stream(beside)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.advance()

    def write(self, first, out):
        """Fill `out` with the tokens that follow."""
        self.token.copy_(first)
        self.place.zero_()
        for _ in range(out.shape[1]):
            if self.graph is None:
                self.advance()
            else:
                self.graph.replay()
        out.copy_(self.written[:, : out.shape[1]])


loop_of = remembered(Loop)


@torch.no_grad()
def generate(seed, first, out):
    """Fill `out` with the best next tokens, one after the other."""
    loop_of(seed, len(first)).write(first, out)


### END SOLUTION
