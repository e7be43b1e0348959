"""What -inf, -10000 and 0 do as mask values, also in rows that are masked out altogether."""

from __future__ import annotations

import torch


def main() -> None:
    """Print the softmax of one row under each way to mask."""
    scores = torch.tensor([2.0, 1.0, 3.0])
    keep = torch.tensor([True, True, False])
    wanted = torch.softmax(scores[keep], -1)

    by_infinity = torch.softmax(scores.masked_fill(~keep, -torch.inf), -1)
    by_large = torch.softmax(scores.masked_fill(~keep, -1e4), -1)
    by_factor = torch.softmax(scores * keep, -1)
    for name, result in (("-inf", by_infinity), ("-10000", by_large), ("times 0", by_factor)):
        print(f"{name:8s}", [round(v, 4) for v in result.tolist()])
    assert torch.allclose(by_infinity[keep], wanted)
    assert torch.allclose(by_large[keep], wanted)
    assert by_factor[2] > 0.05, "the masked element still gets weight"

    nothing = torch.zeros(3, dtype=torch.bool)
    empty_infinity = torch.softmax(scores.masked_fill(~nothing, -torch.inf), -1)
    empty_large = torch.softmax(scores.masked_fill(~nothing, -1e4), -1)
    print("nothing kept, -inf:", empty_infinity.tolist())
    print("nothing kept, -10000:", [round(v, 4) for v in empty_large.tolist()])
    assert torch.isnan(empty_infinity).all()
    assert torch.allclose(empty_large, torch.full((3,), 1 / 3))

    large = 2e4 * torch.tensor([-1.0, -1.0, 0.5])
    leaked = torch.softmax(large.masked_fill(~keep, -1e4), -1)
    print("scores of -20000, masked with -10000:", leaked.tolist())
    assert leaked[2] == 1.0, "the masked element wins"

    flipped = -0.5 * scores.masked_fill(~keep, -torch.inf)
    print("-inf, then a scale of -0.5:", flipped.tolist())
    assert flipped[2] == torch.inf
    as_half = torch.tensor(-1e9).to(torch.float16)
    print("-1e9 in float16:", as_half.item())
    assert as_half == -torch.inf


if __name__ == "__main__":
    main()
