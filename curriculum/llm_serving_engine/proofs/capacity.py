"""The arithmetic of the questions about memory and bandwidth."""

from __future__ import annotations

import math

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def bytes_of_a_token(layers: int, kv_heads: int, dim: int, size: int) -> int:
    """Keys and values of all layers."""
    return 2 * layers * kv_heads * dim * size


def grouped() -> None:
    """An 8 B decoder with 32 query heads over 8 key/value heads, in float16."""
    own, all_heads = (bytes_of_a_token(32, heads, 128, 2) for heads in (8, 32))
    print(f"8 key/value heads: {own // KIB} KiB a token; 32 would take {all_heads // KIB} KiB")
    print(f"2560 tokens: {2560 * own // MIB} MiB; 60 GiB hold {60 * GIB // (2560 * own)}")
    assert own == 131072
    assert 60 * GIB // (2560 * own) == 192
    assert 60 * GIB // (2048 * own) == 240


def reserved() -> None:
    """Slots that are reserved for 4096 tokens and used by 512, against pages of 16."""
    pages = math.ceil(512 / 16) * 16
    print(f"512 of 4096 reserved slots: {512 / 4096:.1%} used; pages of 16: {512 / pages:.1%}")
    worst = 15 / 2
    print(f"pages of 16 waste {worst:g} slots a sequence on average, {worst / 512:.1%} of 512")
    assert 4096 // 512 == 8


def step() -> None:
    """Bytes of a decoding step: weights once, the cache of each sequence."""
    weights, token, bandwidth = 16e9, 131072, 3.35e12
    for sequences in (1, 32, 192):
        cache = sequences * 2304 * token
        ms = 1000 * (weights + cache) / bandwidth
        print(
            f"{sequences:3d} sequences: {cache / 1e9:5.1f} GB of cache, at least {ms:4.1f} ms, "
            f"at most {1000 * sequences / ms:5.0f} tokens/s"
        )


def preempted() -> None:
    """Tokens that are computed and tokens that are asked for, of the profile question."""
    asked, computed, preemptions = 6.0 * 2560, 19_800, 2.9
    print(
        f"asked {asked:.0f} tokens/s, computed {computed}: {computed / asked - 1:.0%} more, "
        f"{(computed - asked) / preemptions:.0f} tokens for each preemption"
    )


def completions() -> None:
    """A code completion service: 60 requests/s of 1500 + 20 tokens on a 7 B model."""
    prompt_flops = 2 * 7e9 * 1500
    print(
        f"a prompt: {prompt_flops / 1e12:.0f} TFLOP, {1000 * prompt_flops / 400e12:.0f} ms at "
        f"400 TFLOP/s; 60 a second: {60 * prompt_flops / 400e12:.1f} GPUs"
    )
    cached = 0.2 * prompt_flops
    print(f"with 80 % of the prompt cached: {60 * cached / 400e12:.2f} GPUs")
    step_ms = 1000 * 14e9 / 3.35e12
    print(f"20 tokens at {step_ms:.1f} ms, the time of the weights: {20 * step_ms:.0f} ms")


if __name__ == "__main__":
    grouped()
    reserved()
    step()
    preempted()
    completions()
