"""Both sides computed, or one: the encoder's products for messages that leave early or late."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import encoder, message_that, portable, products


class ComputesBoth(portable.Portable):
    """The early exit by torch.where."""

    def forward(self, tokens: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
        """The choice comes after everything was computed."""
        operator = torch.cond
        torch.cond = computed_both
        try:
            return super().forward(tokens, kind)
        finally:
            torch.cond = operator


def computed_both(certain: Any, leave: Any, go_on: Any, operands: Any) -> torch.Tensor:
    """As torch.cond is called."""
    return torch.where(certain, leave(*operands), go_on(*operands))


def main() -> None:
    """Numbers agree; work does not."""
    model = encoder.load(0)
    path = Path(tempfile.mkdtemp()) / "encoder.pt2"
    portable.export(0, str(path))
    exported, both = torch.export.load(path).module(), ComputesBoth(model)
    kind = torch.tensor(encoder.CAUSAL)
    found = {}
    for name, early in (("early", True), ("late", False)):
        tokens = message_that(model, early=early)
        assert torch.allclose(both(tokens, kind), exported(tokens, kind), atol=1e-4)
        cond = products(lambda tokens=tokens: exported(tokens, kind))
        where = products(lambda tokens=tokens: both(tokens, kind))
        found[name] = cond, where
        print(f"{name:6} torch.cond {cond:.2f} million operations, torch.where {where:.2f}")
    assert found["early"][0] < 0.6 * found["early"][1]
    assert abs(found["late"][0] - found["late"][1]) < 0.01
    print(f"early by cond is {found['early'][0] / found['early'][1]:.2f} of early by where")


if __name__ == "__main__":
    main()
