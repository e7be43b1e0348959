"""The arithmetic of the questions that show a profile: bytes, waiting time, bounds."""

from __future__ import annotations

import torch
from torch import nn

DRAM = 3.35e12
"""Bytes per second of the GPU in the questions."""


def decode_attention() -> None:
    """One block per sequence and head of keys: bytes, bandwidth, and blocks on 132 SMs."""
    sequences, kv_heads, tokens, head, took = 8, 8, 16384, 128, 438.1e-6
    moved = sequences * kv_heads * tokens * 2 * head * 2
    reached = moved / took / DRAM
    blocks = sequences * kv_heads
    per_sm = 65536 // (128 * 128)
    print(f"decode attention: {moved / 1e6:.1f} MB in 438.1 us, {reached:.1%} of DRAM bandwidth")
    print(f"  {blocks} blocks on 132 SMs, {blocks / 132 / per_sm:.2f} waves, at {per_sm} per SM")
    print(f"  bound {moved / DRAM * 1e6:.0f} us, at 90 %: {moved / DRAM / 0.9 * 1e6:.0f} us")
    partial = sequences * 32 * 8 * (head + 2) * 4
    print(f"  8 splits: {blocks * 8} blocks, {blocks * 8 / 132 / per_sm:.2f} waves,")
    print(f"  {partial / 1e6:.1f} MB of partial results for 32 query heads")
    assert abs(reached - 0.366) < 0.001
    assert partial < 0.01 * moved


def waiting_in_an_all_reduce() -> None:
    """What rank 0 waits for, and how much slower every kernel of rank 3 is."""
    rank_0 = {"all-reduce": 248.3, "gemm": 311.0, "attention": 61.1, "other": 29.6}
    rank_3 = {"all-reduce": 77.4, "gemm": 443.3, "attention": 87.1, "other": 42.2}
    wait = rank_0["all-reduce"] - rank_3["all-reduce"]
    whole = sum(rank_0.values())
    print(f"all-reduce: rank 0 waits {wait:.1f} of {whole:.1f} ms, {wait / whole:.0%}")
    for name in ("gemm", "attention", "other"):
        print(f"  {name}: rank 3 takes {rank_3[name] / rank_0[name]:.2f} times as long")
    print(
        f"  with rank 3 as fast: {whole - wait:.0f} ms, {whole / (whole - wait):.2f} times as fast"
    )
    assert abs(whole - sum(rank_3.values())) < 0.2
    assert 32 * 4096 * 2 == 256 * 1024


def shared_memory() -> None:
    """Wavefronts that the SMs must serve, one in a cycle, with conflicts and without."""
    for name, wavefronts in (("8-way conflict", 134_217_728), ("no conflict", 16_777_216)):
        print(f"shared loads, {name}: at least {wavefronts / 132 / 1.7e9 * 1e6:.0f} us")
    print(f"  188 MB of DRAM: at least {188e6 / DRAM * 1e6:.0f} us")


def synchronizations() -> None:
    """The part of cudaStreamSynchronize that costs something is the time that the GPU is idle."""
    wall, busy, waiting, calls = 640.0, 380.0, 310.4, 440
    print(f"GPU idle: {wall - busy:.0f} of {wall:.0f} ms, {(wall - busy) / calls:.2f} ms per call")
    print(f"  without: at best {max(busy, wall - waiting):.0f} ms, {wall / busy:.2f} times as fast")
    print(f"  host's own work: {wall - waiting:.1f} ms, below the GPU's {busy:.0f}")
    assert wall - waiting < busy


def layouts() -> None:
    """What is left without layout conversions; which operations keep channels_last."""
    whole, conversions = 8.40, 1.43 + 0.92
    left = whole - conversions
    print(f"layout conversions: {conversions:.2f} of {whole:.2f} s, {conversions / whole:.0%}")
    print(f"  without: {left:.2f} s, {whole / left:.2f} times as fast")
    model = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
    model.to(memory_format=torch.channels_last)
    x = torch.randn(2, 8, 6, 6).to(memory_format=torch.channels_last)
    y = model(x)
    kept = y.is_contiguous(memory_format=torch.channels_last)
    print(f"  convolution, batch norm and ReLU return channels_last: {'yes' if kept else 'no'}")
    lost = y.reshape(2, 4, 4, 6, 6).transpose(1, 2).reshape(2, 16, 6, 6)
    still = lost.is_contiguous(memory_format=torch.channels_last)
    print(f"  a channel shuffle with reshape returns it: {'yes' if still else 'no'}")
    assert kept
    assert not still


def copies() -> None:
    """A batch that is copied from pageable memory on the stream of the kernels."""
    size, copy, kernels = 64 * 3 * 224 * 224 * 4, 6420.0, 21300.0
    pinned = size / 25e9 * 1e6
    step = copy + kernels
    print(f"copy: {size} bytes in {copy:.0f} us, {size / copy / 1e3:.1f} GB/s")
    print(
        f"  pinned at 25 GB/s: {pinned:.0f} us, step {step / (kernels + pinned):.2f} times as fast"
    )
    print(f"  and overlapped: {step / kernels:.2f} times; as uint8 {pinned / 4:.0f} us")
    assert size == 38_535_168


if __name__ == "__main__":
    decode_attention()
    waiting_in_an_all_reduce()
    shared_memory()
    synchronizations()
    layouts()
    copies()
