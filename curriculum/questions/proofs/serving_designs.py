"""The calculations of the questions that ask for the design of a serving system."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

HBM, EFFICIENCY = 3.35e12, 0.7
"""Bytes per second of one GPU, and the fraction that decoding reaches."""


def chat() -> None:
    """70 B parameters in FP8 on 4 GPUs a replica: 40 requests/s, 1500 tokens in, 400 out."""
    weights, per_token = 70e9, 2 * 80 * 8 * 128 * 2
    room = 4 * 80e9 * 0.9 - weights - 8e9
    sequence = 1700 * per_token
    print(f"chat: {per_token} B of KV a token, {sequence / 1e9:.3f} GB a sequence on average")
    print(f"  room for {room / 1e9:.0f} GB, {room / sequence:.0f} sequences a replica")
    bandwidth, prefill = 4 * HBM * EFFICIENCY, 1500 * 2 * 70e9 / 4e15
    print(f"  prefill {prefill * 1e3:.1f} ms of a replica, {40 * prefill:.1f} replicas' whole time")
    for replicas in (3, 4, 5):
        share = 40 * prefill / replicas
        tokens = 40 * 400 / replicas
        # Time per token t: the batch is tokens * t, and a step takes weights and KV of the batch.
        spare = bandwidth * (1 - share) - tokens * sequence
        if spare <= 0:
            print(f"  {replicas} replicas: prefill takes {share:.0%}, the queue grows")
            assert replicas == 3
            continue
        t = weights / spare
        print(
            f"  {replicas} replicas: prefill takes {share:.0%}, {t * 1e3:.0f} ms a token, "
            f"batch {tokens * t:.0f}"
        )
        assert t < 0.050
        assert tokens * t * sequence < room


def long_prompts() -> None:
    """8 B parameters in bfloat16: 30 requests/s of 8000 tokens in and 300 out."""
    n, per_token = 8000, 2 * 32 * 8 * 128 * 2
    operations = 2 * 8e9 * n + 4 * 32 * 4096 * n * n / 2
    seconds = operations / 0.5e15
    print(f"long prompts: {operations / 1e12:.0f} TFLOP, {seconds * 1e3:.0f} ms a prompt")
    prefill = 30 * seconds
    print(f"  prefill {prefill:.1f} GPUs busy, {math.ceil(prefill / 0.7)} at 70 %")
    sequence = (n + 150) * per_token
    batch = math.floor((80e9 * 0.9 - 16e9) / sequence)
    step = (16e9 + batch * sequence) / (HBM * EFFICIENCY)
    rate = batch / step
    print(f"  decode: {sequence / 1e9:.2f} GB a sequence, batch {batch}, step {step * 1e3:.1f} ms")
    print(f"  {rate:.0f} tokens/s a GPU, {math.ceil(30 * 300 / rate)} GPUs for 9000 tokens/s")
    print(
        f"  KV to send: {n * per_token / 1e9:.2f} GB a prompt, {30 * n * per_token / 1e9:.1f} GB/s"
    )
    print(
        f"  over 50 GB/s: {n * per_token / 50e9 * 1e3:.0f} ms; a chunk of 512: "
        f"{seconds / n * 512 * 1e3:.0f} ms"
    )


def shared_prefixes() -> None:
    """200 tenants with a prefix of 3000 tokens each; 8 replicas with 10 GB for prefixes."""
    prefix = 3000 * 2 * 32 * 8 * 128 * 2
    held = math.floor(10e9 / prefix)
    print(f"prefixes: {prefix / 1e6:.0f} MB each, {held} in 10 GB, {200 // 8} tenants a replica")
    assert held >= 200 // 8
    for name, hits in (("round robin", held / 200), ("by tenant", 1.0)):
        tokens = 5100 - hits * 3000
        busy = 50 * tokens * 16e9 / 0.5e15
        print(f"  {name}: {hits:.1%} hits, {tokens:.0f} tokens, prefill keeps {busy:.2f} GPUs busy")


def growth() -> None:
    """Traffic that grows by 12 requests/s each minute; a replica serves 12 requests/s."""
    slow = {"metric": 60, "node": 40, "image": 90, "weights": 140 / 2, "warm-up": 30}
    fast = {"metric": 15, "node": 40, "image": 0, "weights": 140 / 7, "warm-up": 30}
    for name, parts in (("from the registry", slow), ("from a local disk", fast)):
        delay = sum(parts.values())
        print(
            f"scaling, {name}: {delay:.0f} s, traffic grows by {delay * 12 / 60:.0f} requests/s, "
            f"{math.ceil(delay / 60)} replicas of headroom"
        )


def canary() -> None:
    """Requests to tell 2.5 % from 2.0 %, one-sided at 5 %, with 80 % power; checked by drawing."""
    before, after = 0.02, 0.025
    z = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.80)
    n = math.ceil(z**2 * (before * (1 - before) + after * (1 - after)) / (after - before) ** 2)
    print(f"canary: {n} requests in each group")
    for share in (0.05, 0.01):
        print(f"  {share:.0%} of 20 requests/s: {n / (20 * share) / 3600:.1f} h")
    draw = np.random.default_rng(0)
    for name, rate in (("2.5 %", after), ("2.0 %", before)):
        old, new = draw.binomial(n, before, 20_000) / n, draw.binomial(n, rate, 20_000) / n
        deviation = np.sqrt((old * (1 - old) + new * (1 - new)) / n)
        found = float(np.mean((new - old) / deviation > NormalDist().inv_cdf(0.95)))
        print(f"  true rate {name}: alarm in {found:.0%} of 20000 draws")
        assert abs(found - (0.80 if rate == after else 0.05)) < 0.01


def images() -> None:
    """6000 JPEG images/s; a batch of b takes 1.5 + 0.12 b ms; decoding takes 6 ms of a core."""
    for batch in (8, 16, 32, 64):
        took = 1.5 + 0.12 * batch
        print(f"images, batch {batch:2d}: {took:.2f} ms, {batch / took * 1e3:.0f} images/s a GPU")
    rate = 16 / (1.5 + 0.12 * 16) * 1e3
    print(f"  2 GPUs: {3000 / rate:.0%} busy; 16 images arrive in {16 / 3000 * 1e3:.1f} ms")
    print(f"  decoding: {6000 * 0.006:.0f} cores busy, {6000 * 0.006 / 0.6:.0f} at 60 %")
    print(f"  network {6000 * 110e3 / 1e6:.0f} MB/s, {6000 * 110e3 * 8 / 1e9:.1f} Gb/s")
    for name, size in (("uint8", 1), ("float32", 4)):
        print(f"  to the GPUs as {name}: {6000 * 3 * 224 * 224 * size / 1e9:.2f} GB/s")


if __name__ == "__main__":
    chat()
    long_prompts()
    shared_prefixes()
    growth()
    canary()
    images()
