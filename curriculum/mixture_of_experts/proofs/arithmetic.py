"""The arithmetic of the lesson and of the questions: rows of an expert, weights, bytes on links."""

from __future__ import annotations

import math

US = 1e-6
HIDDEN, WIDE = 7168, 2048
EXPERTS, K = 256, 8
WEIGHTS = 3 * HIDDEN * WIDE
"""Of an expert: gate, up and down; a byte each in FP8."""

BANDWIDTH, PEAK, LINK = 4e12, 1600e12, 50e9


def expert_rows() -> None:
    """Print the rows of an expert, and what limits its products."""
    equal = WEIGHTS / BANDWIDTH / (2 * WEIGHTS / PEAK)
    print(f"an expert: {WEIGHTS / 1e6:.0f} MB; memory and arithmetic are equal at {equal:.0f} rows")
    for tokens in (256, 4096, 32768):
        rows = tokens * K / EXPERTS
        memory, compute = WEIGHTS / BANDWIDTH, 2 * WEIGHTS * rows / PEAK
        limit = "memory" if memory > compute else "compute"
        print(
            f"{tokens:6d} tokens: {rows:5.0f} rows an expert, {memory / US:5.1f} us memory, "
            f"{compute / US:5.1f} us compute: {limit}"
        )
    assert round(equal) == 200


def used_experts() -> None:
    """Print how many experts a small batch uses, with uniform choices."""
    for tokens in (1, 8, 32, 128):
        used = EXPERTS * (1 - (1 - K / EXPERTS) ** tokens)
        share = used * WEIGHTS / 1e9
        print(f"{tokens:4d} tokens use {used:5.1f} of {EXPERTS} experts: {share:5.2f} GB a layer")


def ranks() -> None:
    """Print weights and exchange of a decode step on 32 ranks, 4096 tokens."""
    local, own = EXPERTS // 32, 4096 // 32
    weights = local * WEIGHTS / BANDWIDTH
    compute = 2 * WEIGHTS * 4096 * K / 32 / PEAK
    there, back = own * 4 * HIDDEN / LINK, own * 4 * 2 * HIDDEN / LINK
    print(
        f"a rank: {weights / US:.0f} us of weights, {compute / US:.0f} us of arithmetic, "
        f"{there / US:.0f} us dispatch, {back / US:.0f} us combine"
    )
    skewed = 1.6 * compute
    print(f"the rank with 1.6 times the mean: {skewed / US:.0f} us of arithmetic")
    both = 2 * (there + back) / US
    print(f"twice the tokens: {2 * compute / US:.0f} us of arithmetic, {both:.0f} us exchange")
    assert there + back > 2 * weights


def total_and_active() -> None:
    """Print what a model with 58 such layers stores, and what a step reads."""
    for tokens in (1, 64):
        used = EXPERTS * (1 - (1 - K / EXPERTS) ** tokens)
        read = 58 * used * WEIGHTS / 1e9
        ms = read / 4000 * 1e3
        print(f"{tokens} tokens read {read:.0f} GB of experts in 58 layers, {ms:.0f} ms at 4 TB/s")
    stored = 58 * EXPERTS * WEIGHTS / 1e9
    print(f"all experts: {stored:.0f} GB in FP8, {math.ceil(stored / 80)} GPUs of 80 GB")
    share = stored / 72
    print(f"on 72 GPUs: {share:.1f} GB each, {share / 4000 * 1e3:.1f} ms to read at 4 TB/s")


def profile() -> None:
    """Print the figures of the profile question."""
    print(
        f"A: 140 us for 64 rows of 8 experts: weights alone {8 * WEIGHTS / BANDWIDTH / US:.0f} us"
    )
    rows = (96, 80, 2400, 120, 60, 88, 110, 118)
    mean = sum(rows) / len(rows)
    print(f"B: {max(rows)} rows on the fullest rank, {max(rows) / mean:.1f} times the mean")
    print(f"C: 8 launches of 6 us cost {8 * 6} us of 75 us")


def replicas() -> None:
    """Print what replicas of a popular expert cost and gain."""
    print(f"a replica on each rank: {WEIGHTS * 58 / 1e9:.1f} GB in 58 layers")
    print(f"an expert with 6 times the mean: its rank of 8 has {(6 + 7) / 8:.2f} times the mean")
    print(f"with 2 replicas each {(3 + 7) / 8:.2f} times, with 3 {(2 + 7) / 8:.2f} times")
    move = WEIGHTS / LINK
    print(f"a replica moves in {move * 1e3:.1f} ms over a network card of 50 GB/s")


if __name__ == "__main__":
    expert_rows()
    used_experts()
    ranks()
    total_and_active()
    profile()
    replicas()
