"""Attention by tiles, in PyTorch: the scores of a tile live in the cache and nowhere else."""

import math
from itertools import pairwise

import torch

### BEGIN SOLUTION transformer_compilation.tiled_attention
### STUB def attention(q, k, v, causal, cap, out):
### STUB     """Fill `out` with the attention of q over k and v; see the notebook."""
### STUB     raise NotImplementedError("transformer_compilation.tiled_attention")
QUERIES, KEYS = 128, 512
"""Of a tile: 256 KiB of scores in float32, which a core's second cache holds."""

ON_A_GPU = 256
"""Queries of a tile on a GPU: few launches, and half of the hidden scores are never computed."""

KNOWN = 40.0
"""A cap up to which exp(cap), exp(−cap) and sums of them are usual numbers of float32."""


def attention(q, k, v, causal, cap, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    ahead = k.shape[1] - q.shape[1]
    # Scale and cap are paid once a query instead of once a score.
    q = q * (1 / math.sqrt(q.shape[2]) / (cap or 1.0))
    if q.is_cuda:
        all_heads_at_once(q, k, v, ahead if causal else None, cap, out)
        return
    # All tiles' scores lie in one place: new memory would have to be fetched each time.
    room = q.new_empty(QUERIES * KEYS)
    walk = with_known_maximum if 0 < cap <= KNOWN else with_online_maximum
    for head in range(len(q)):
        for first in range(0, q.shape[1], QUERIES):
            rows = slice(first, first + QUERIES)
            tiles = Tiles(q[head, rows], k[head], v[head], first + ahead if causal else None, room)
            walk(tiles, cap, out[head, rows])


def all_heads_at_once(q, k, v, ahead, cap, out):
    """On a GPU a tile is some queries of all heads: a launch for each head would cost far more.

    ahead: beyond its own number, how many keys a query sees; None if all.
    """
    for first in range(0, q.shape[1], ON_A_GPU):
        rows = slice(first, first + ON_A_GPU)
        shared, end = 0, k.shape[1]
        if ahead is not None:
            # Up to `shared` all of these queries see all keys, behind `end` none sees any.
            shared = min(end, max(0, first + ahead))
            end = min(end, max(0, first + q[:, rows].shape[1] + ahead))
        if not end:
            out[:, rows] = 0.0
            continue
        scores = q[:, rows] @ k[:, :end].mT
        if cap:
            scores.tanh_().mul_(cap)
        if ahead is not None:
            diagonal = scores[..., shared:]
            hidden = torch.ones(diagonal.shape[1:], dtype=torch.bool, device=q.device)
            diagonal.masked_fill_(hidden.triu_(first + ahead - shared + 1), -torch.inf)
        weights = torch.softmax(scores, -1)
        # Queries from which the first key is hidden see none: 0 instead of NaN.
        blind = 0 if ahead is None else max(0, -ahead - first)
        weights[:, :blind] = 0.0
        torch.bmm(weights, v[:, :end], out=out[:, rows])


class Tiles:
    """Some queries and the keys that they see. first: the last key that the first of them sees."""

    def __init__(self, q, k, v, first, room):
        self.q, self.k, self.v, self.first, self.room = q, k, v, first, room

    def products(self):
        """For each tile of keys: products with the queries, its values, and what is hidden."""
        count, keys = len(self.q), len(self.k)
        # Behind `shared` lies the diagonal: a tile of its own, so that no other needs a mask.
        shared = keys if self.first is None else min(keys, max(0, self.first))
        end = keys if self.first is None else min(keys, max(0, self.first + count))
        points = [*range(0, shared, KEYS), *([shared] if shared < end else []), end]
        for start, stop in pairwise(points):
            place = self.room[: count * (stop - start)].view(count, stop - start)
            hidden = None
            if start == shared:
                hidden = torch.ones(count, stop - start, dtype=torch.bool)
                hidden.triu_(self.first - start + 1)
            yield torch.mm(self.q, self.k[start:stop].T, out=place), self.v[start:stop], hidden


def with_known_maximum(tiles, cap, out):
    """No score is beyond the cap: no maximum is needed, and nothing ever has to be rescaled."""
    total, summed = tiles.q.new_zeros(len(out), 1), torch.zeros_like(out)
    for products, v, hidden in tiles.products():
        weights = products.tanh_().mul_(cap).exp_()
        if hidden is not None:
            weights.masked_fill_(hidden, 0.0)
        total.add_(weights.sum(1, keepdim=True))
        summed.addmm_(weights, v)
    torch.div(summed, torch.where(total == 0, 1.0, total), out=out)


def with_online_maximum(tiles, cap, out):
    """The maximum grows from tile to tile."""
    maximum = out.new_full((len(out), 1), -torch.inf)
    total, summed = out.new_zeros(len(out), 1), torch.zeros_like(out)
    for scores, v, hidden in tiles.products():
        if cap:
            scores.tanh_().mul_(cap)
        if hidden is not None:
            scores.masked_fill_(hidden, -torch.inf)
        highest = torch.maximum(maximum, scores.amax(1, keepdim=True))
        shift = torch.where(highest == -torch.inf, 0.0, highest)
        weights = scores.sub_(shift).exp_()
        # What was summed so far belongs to the old maximum.
        old = torch.exp(maximum - shift)
        total.mul_(old).add_(weights.sum(1, keepdim=True))
        summed.mul_(old).addmm_(weights, v)
        maximum = highest
    torch.div(summed, torch.where(total == 0, 1.0, total), out=out)


### END SOLUTION
