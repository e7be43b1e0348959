"""Attention over a paged KV cache, in numpy: keys and values lie in blocks, in any order.

`k_pool` and `v_pool` are [blocks, size, KV_HEADS, HEAD_DIM]. Token t of a sequence lies in block
`table[t // size]`, slot `t % size`. What the other slots hold is undefined.
"""

import json
from pathlib import Path

import numpy as np
from model import HEAD_DIM, KV_HEADS, LAYERS, Decoder


### BEGIN SOLUTION llm_serving_engine.paged_attention
### STUB def write(k_pool, v_pool, table, start, k, v):
### STUB     """Store k and v, [n, KV_HEADS, HEAD_DIM], of the tokens start, …, start + n − 1."""
### STUB     raise NotImplementedError("llm_serving_engine.paged_attention")
### STUB
### STUB
### STUB def paged_attention(q, k_pool, v_pool, table, length):
### STUB     """Outputs [n, heads, HEAD_DIM] for queries q of the same shape, those of the last n of
### STUB     the `length` tokens of a sequence, whose keys and values are all stored."""
### STUB     raise NotImplementedError("llm_serving_engine.paged_attention")
def write(k_pool, v_pool, table, start, k, v):
    """Store k and v, [n, KV_HEADS, HEAD_DIM], of the tokens start, …, start + n − 1."""
    places = start + np.arange(len(k))
    size = k_pool.shape[1]
    blocks, slots = np.asarray(table)[places // size], places % size
    k_pool[blocks, slots], v_pool[blocks, slots] = k, v


def paged_attention(q, k_pool, v_pool, table, length):
    """Outputs [n, heads, HEAD_DIM] for queries q of the same shape, those of the last n of
    the `length` tokens of a sequence, whose keys and values are all stored."""
    n, heads, dim = q.shape
    size, kv_heads = k_pool.shape[1:3]
    used = np.asarray(table)[: -(-length // size)]
    k = k_pool[used].reshape(-1, kv_heads, dim)[:length]
    v = v_pool[used].reshape(-1, kv_heads, dim)[:length]
    grouped = q.reshape(n, kv_heads, heads // kv_heads, dim)
    scores = np.einsum("ngrd,tgd->ngrt", grouped, k) / np.sqrt(dim)
    # Query i is at position length - n + i and sees everything up to itself.
    visible = np.arange(length)[None, :] <= np.arange(length - n, length)[:, None]
    scores = np.where(visible[:, None, None, :], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("ngrt,tgd->ngrd", weights, v).reshape(n, heads, dim).astype(q.dtype)


### END SOLUTION


def prefill(path: str) -> list[list[float]]:
    """Run a prompt through the decoder in chunks, over a pool of undefined blocks. Returns the
    logits after each chunk.

    path: a JSON file with the tokens, the sizes of the chunks, the block table, and the size and
    number of blocks.
    """
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    pools = np.full((2, LAYERS, given["blocks"], given["size"], KV_HEADS, HEAD_DIM), np.nan, "f4")
    table = np.array(given["table"])
    decoder, start, found = Decoder(), 0, []
    for count in given["chunks"]:
        end = start + count

        def attend(layer, q, k, v, start=start, end=end):
            write(pools[0, layer], pools[1, layer], table, start, k, v)
            return paged_attention(q, pools[0, layer], pools[1, layer], table, end)

        logits = decoder.forward(given["tokens"][start:end], list(range(start, end)), attend)
        found.append([round(float(x), 5) for x in logits[-1]])
        start = end
    return found
