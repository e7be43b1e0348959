"""SiLU exchanged for a cheaper function after training, and SiLU written with other operators."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from detecting.kit import score, trained


class Written(nn.Module):
    """SiLU for a delegate without sigmoid: x · (1 + tanh(x / 2)) / 2."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same function."""
        return x * (0.5 + 0.5 * torch.tanh(0.5 * x))


def exchanged(new: nn.Module) -> nn.Module:
    """The trained network, with another activation in each of its convolutions."""
    network = trained()
    for module in network.modules():
        if isinstance(getattr(module, "act", None), nn.SiLU):
            module.act = new
    return network


def main() -> None:
    """The mAP at 0.5 of each."""
    found = {}
    for name, act in (
        ("SiLU", nn.SiLU()),
        ("x · (1 + tanh(x / 2)) / 2", Written()),
        ("hard swish", nn.Hardswish()),
        ("ReLU", nn.ReLU()),
    ):
        found[name] = score(exchanged(act))
        print(f"{name:26} mAP {found[name]:.2f}")
    assert abs(found["SiLU"] - found["x · (1 + tanh(x / 2)) / 2"]) < 0.005
    assert found["ReLU"] < 0.7 * found["SiLU"]
    assert found["hard swish"] < found["SiLU"] - 0.01
    x = torch.linspace(-6, 6, 1201)
    far = (nn.functional.hardswish(x) - nn.functional.silu(x)).abs().max()
    print(f"hard swish is at most {far:.2f} from SiLU, in one layer")


if __name__ == "__main__":
    main()
