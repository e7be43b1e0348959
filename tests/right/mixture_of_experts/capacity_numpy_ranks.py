"""Ranks by a stable sort in NumPy; no loop over tokens."""


### BEGIN SOLUTION mixture_of_experts.capacity
import numpy as np


def capacity(experts, num_experts, factor):
    ids = np.array(experts)
    tokens, k = ids.shape
    room = int(np.ceil(factor * tokens * k / num_experts))
    flat = ids.T.ravel()  # first choices of all tokens, then second ones
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(num_experts))
    rank = np.empty(len(flat), int)
    rank[order] = np.arange(len(flat)) - starts[flat[order]]
    rank = rank.reshape(k, tokens).T
    kept = rank < room
    return {
        "capacity": room,
        "places": [[int(p) if ok else None for p, ok in zip(*row)] for row in zip(rank, kept)],
        "dropped_tokens": int((~kept.any(1)).sum()),
        "empty_rows": num_experts * room - int(kept.sum()),
    }


def row_tiles(sizes, height):
    ends = np.cumsum(sizes)
    tiles = [
        [expert, int(row), int(min(height, end - row))]
        for expert, end in enumerate(ends)
        for row in range(int(end - sizes[expert]), int(end), height)
    ]
    return {"tiles": tiles, "wasted_rows": sum(height - rows for _, _, rows in tiles)}


### END SOLUTION
