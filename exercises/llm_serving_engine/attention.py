"""Attention over a paged KV cache, in numpy: keys and values lie in blocks, in any order.

`k_pool` and `v_pool` are [blocks, size, KV_HEADS, HEAD_DIM]. Token t of a sequence lies in block
`table[t // size]`, slot `t % size`. What the other slots hold is undefined.
"""

import json
from pathlib import Path

import numpy as np
from model import HEAD_DIM, KV_HEADS, LAYERS, Decoder


### TASK llm_serving_engine.paged_attention
def write(k_pool, v_pool, table, start, k, v):
    """Store k and v, [n, KV_HEADS, HEAD_DIM], of the tokens start, …, start + n − 1."""
    raise NotImplementedError("llm_serving_engine.paged_attention")


def paged_attention(q, k_pool, v_pool, table, length):
    """Outputs [n, heads, HEAD_DIM] for queries q of the same shape, those of the last n of
    the `length` tokens of a sequence, whose keys and values are all stored."""
    raise NotImplementedError("llm_serving_engine.paged_attention")


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
