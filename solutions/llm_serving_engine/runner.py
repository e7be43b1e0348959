"""Runs batches of rows through the small decoder, over pools of blocks and your paged attention."""

import numpy as np
from attention import paged_attention, write
from model import HEAD_DIM, HEADS, KV_HEADS, LAYERS, Decoder

TEMPERATURE = 0.6


class Runner:
    """Keys and values of `blocks` blocks with room for `size` tokens each, in every layer."""

    def __init__(self, blocks: int, size: int) -> None:
        self.decoder = Decoder()
        self.pools = np.zeros((2, LAYERS, blocks, size, KV_HEADS, HEAD_DIM), np.float32)

    def run(self, batch: list[dict]) -> list[int]:
        """The token after each row; one forward pass for all rows together.

        A row has the `tokens` of a sequence from position `start` on, its block `table`, and the
        `seed` that the request samples with.
        """
        ends = np.cumsum([len(row["tokens"]) for row in batch])

        def attend(layer, q, k, v):
            out = np.empty((ends[-1], HEADS, HEAD_DIM), q.dtype)
            k_pool, v_pool = self.pools[:, layer]
            for row, end in zip(batch, ends, strict=True):
                count = len(row["tokens"])
                own = slice(end - count, end)
                write(k_pool, v_pool, row["table"], row["start"], k[own], v[own])
                length = row["start"] + count
                out[own] = paged_attention(q[own], k_pool, v_pool, row["table"], length)
            return out

        tokens = [token for row in batch for token in row["tokens"]]
        places = [row["start"] + i for row in batch for i in range(len(row["tokens"]))]
        logits = self.decoder.forward(tokens, places, attend)
        return [
            sampled(row_logits, row["seed"], row["start"] + len(row["tokens"]))
            for row_logits, row in zip(logits[ends - 1], batch, strict=True)
        ]


def sampled(logits: np.ndarray, seed: int, position: int) -> int:
    """The token at `position`, sampled at TEMPERATURE. The same seed gives the same token, whatever
    else is in the batch (Gumbel's trick: the largest of logits with noise is a sample)."""
    noise = np.random.default_rng([seed, position]).gumbel(size=logits.shape)
    return int(np.argmax(logits / TEMPERATURE + noise))
