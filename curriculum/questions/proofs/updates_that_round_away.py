"""Small updates of bfloat16 weights vanish; small float16 gradients too, for another reason."""

from __future__ import annotations

import torch


def trained(dtype: torch.dtype, master: bool, steps: int = 1000) -> float:
    """A weight of 1 that should lose 0.001 a step, 1000 times."""
    copy = torch.ones(1, dtype=torch.float32 if master else dtype)
    for _ in range(steps):
        copy -= 1e-3
    return copy.to(dtype).item()


def stochastic(steps: int = 1000) -> float:
    """Rounding up or down by chance, in proportion to the rest: right on average."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.ones(4096, dtype=torch.bfloat16)
    for _ in range(steps):
        bits = (weights.float() - 1e-3).view(torch.int32)
        noise = torch.randint(0, 1 << 16, bits.shape, generator=generator, dtype=torch.int32)
        weights = ((bits + noise) & -65536).view(torch.float32).bfloat16()
    return weights.float().mean().item()


def main() -> None:
    """Updates, sums and ranges."""
    stuck, kept = trained(torch.bfloat16, False), trained(torch.bfloat16, True)
    print(f"1000 updates of -0.001: bfloat16 ends at {stuck:.3f}, with a float32 copy {kept:.3f}")
    assert stuck == 1.0
    assert abs(kept) < 1e-4
    lucky = stochastic()
    print(f"stochastic rounding, mean of 4096 weights: {lucky:.2f}")
    assert abs(lucky) < 0.05

    one, gap = torch.tensor(1.0, dtype=torch.bfloat16), torch.finfo(torch.bfloat16).eps
    print(f"next to 1 bfloat16 has steps of {gap}; downwards half of that")
    assert one + gap / 2 == one, "a tie goes to the even neighbor"
    assert one - gap / 4 == one
    assert one - gap / 2 != one

    total = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(1000):
        total += 1
    print(f"1000 ones added one by one in bfloat16: {total.item():.0f}")
    assert total == 256

    small = torch.tensor(1e-8)
    print(f"a gradient of 1e-8: float16 {small.half().item():.1e}, bfloat16", end=" ")
    print(f"{small.bfloat16().item():.1e}, float16 of it times 65536 {(small * 65536).half():.1e}")
    assert small.half() == 0
    assert small.bfloat16() > 0
    assert (small * 65536).half() > 0
    assert torch.finfo(torch.float16).max == 65504


if __name__ == "__main__":
    main()
