"""Arithmetic of placing prompts: what stays, what is sent, and how many workers a mix needs."""

from __future__ import annotations

import math

BASE_MS, TOKEN_MS, MOST_TOKENS, ROWS = 4.8, 0.04, 512, 40
LINK_MS, KV_MS, OUTPUT = 2.0, 0.005, 100


def beside() -> None:
    """A prompt beside 40 rows that decode: steps, the longest gap, and the mean over an output."""
    for prompt in (100, 4000):
        steps = math.ceil(prompt / (MOST_TOKENS - ROWS))
        chunk = min(prompt, MOST_TOKENS - ROWS)
        gap = BASE_MS + TOKEN_MS * (ROWS + chunk)
        sent = LINK_MS + KV_MS * prompt
        print(
            f"{prompt} tokens: {steps} steps of at most {gap:.1f} ms, "
            f"{TOKEN_MS * prompt / OUTPUT:.2f} ms more a token; sent: {sent:.1f} ms once"
        )
    print(f"20,000 queued tokens: {TOKEN_MS * 20_000:.0f} ms")


def workers() -> None:
    """40 requests a second of two mixes, and workers at 100 % and at 60 % of their rate."""
    for prompt, output in ((1000, 200), (3000, 60)):
        prompts, outputs = 40 * prompt / 20_000, 40 * output / 2_500
        print(
            f"{prompt} + {output} tokens: {prompts:.1f} and {outputs:.2f} workers, "
            f"at 60 % {prompts / 0.6:.1f} and {outputs / 0.6:.1f}"
        )


def transfer() -> None:
    """Keys and values of 4,000 tokens over 50 GB/s, and computing them again."""
    token = 2 * 32 * 8 * 128 * 2
    sent, computed = 1e3 * 4000 * token / 50e9, 1e3 * 4000 / 20_000
    print(
        f"{token} bytes a token, {4000 * token / 1e6:.0f} MB: {sent:.1f} ms, computed again "
        f"{computed:.0f} ms, {computed / sent:.0f} times as long; a layer {sent / 32:.2f} ms"
    )


if __name__ == "__main__":
    beside()
    workers()
    transfer()
