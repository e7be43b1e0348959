"""Nodes of a small network as it was scripted, frozen, and optimized for inference."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import freezing, refused
from torch import nn


class Net(nn.Module):
    """A convolution, a normalization, a flag and a branch on data."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.doubled = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The flag is a constant once it is frozen; the data are not."""
        x = self.norm(self.conv(x))
        if self.doubled:
            x = x * 2
        if bool(x.sum() > 0):
            x = -x
        return x.relu()


def main() -> None:
    """Counted, and compared."""
    torch.manual_seed(0)
    scripted = torch.jit.script(Net())
    print("in training mode:", refused(lambda: torch.jit.freeze(scripted.train())))
    scripted.eval()
    frozen = torch.jit.freeze(scripted)
    before, after = freezing.counts(scripted.inlined_graph), freezing.counts(frozen.graph)
    optimized = freezing.counts(torch.jit.optimize_for_inference(scripted).graph)
    for name, counts in (("scripted", before), ("frozen", after), ("optimized", optimized)):
        print(f"{name:10}", counts)
    assert before["batch_norms"] == 1
    assert after["batch_norms"] == after["attributes"] == 0
    assert before["ifs"] > after["ifs"] == 1, "the branch on data stays"
    assert optimized["mkldnn"] > after["mkldnn"] == 0
    x = torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        difference = float((scripted(x) - frozen(x)).abs().max())
    print("differs by rounding only:", difference < 1e-5)
    assert difference < 1e-5


if __name__ == "__main__":
    main()
