"""Where 16 and 8 bits change what attention gives: scores, weights, sums, and scales of fp8."""

from __future__ import annotations

import torch


def attention(scores: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """In whatever type the operands have."""
    return torch.softmax(scores, -1) @ v


def error(got: torch.Tensor, want: torch.Tensor) -> float:
    """Largest, relative to the largest number that there is."""
    return float((got.double() - want).abs().max() / want.abs().max())


# --8<-- [start:fp8]
def through_fp8(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Rounded to e4m3, whose largest number is 448, and back."""
    return (x / scale).to(torch.float8_e4m3fn).double() * scale
    # --8<-- [end:fp8]


def main() -> None:
    """Print errors."""
    torch.manual_seed(1)
    q, k, v = (torch.randn(256, 64, dtype=torch.float64) for _ in range(3))
    for spread in (1.0, 8.0):
        scores = spread * q @ k.T / 8
        truth = attention(scores, v)
        kept = attention(scores.float(), v.float())
        rounded = attention(scores.bfloat16().float(), v.float())
        weights = torch.softmax(scores, -1).bfloat16().double() @ v
        print(
            f"scores of ±{scores.abs().max():.0f}: float32 {error(kept, truth):.0e}, "
            f"scores rounded to bfloat16 {error(rounded, truth):.0e}, "
            f"only the weights rounded {error(weights, truth):.0e}"
        )
        if spread == 8.0:
            assert error(rounded, truth) > 10 * error(weights, truth)
    large = 64 * q @ (64 * k).T
    print(f"unscaled products of ±{large.abs().max():.0f} in float16: "
          f"{int(torch.isinf(large.half()).sum())} infinite")  # fmt: skip
    assert torch.isinf(large.half()).any()
    ones = torch.full((1 << 14,), 1.0)
    total = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(1 << 10):
        total = total + ones[:1].bfloat16()[0]
    print(f"1024 ones added in bfloat16: {float(total):.0f}")
    assert float(total) == 256
    others = torch.arange(256) != 3
    lost: dict[tuple[str, float], float] = {}
    for largest in (100.0, 400_000.0):
        k[3, 7] = largest
        highest = k.abs().max()
        ways = {
            "int8": torch.round(k * 127 / highest) * highest / 127,
            "fp8": through_fp8(k, highest / 448),
            "fp8, one scale per row": through_fp8(k, k.abs().amax(1, keepdim=True) / 448),
        }
        for name, got in ways.items():
            lost[name, largest] = float((got - k)[others].norm() / k[others].norm())
        shares = ", ".join(f"{name} {lost[name, largest]:.1%}" for name in ways)
        print(f"keys of about 1, one of {largest:.0f}; error of the other rows: {shares}")
    assert lost["int8", 100.0] > 5 * lost["fp8", 100.0]
    assert lost["fp8", 400_000.0] > 5 * lost["fp8, one scale per row", 400_000.0]


if __name__ == "__main__":
    main()
