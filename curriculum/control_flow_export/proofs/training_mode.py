"""A dropout that was exported in training mode goes on dropping, in a file that looks well."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import warnings
from torch import nn


def main() -> None:
    """The same network, exported in both modes."""
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.5), nn.Linear(16, 4))
    x = torch.randn(2, 16)
    for mode in (True, False):
        program = torch.export.export(net.train(mode), (x,))
        exported = program.module()
        same = torch.equal(exported(x), exported(x))
        print(f"exported in training mode {mode!s:5}: two runs agree {same}")
        assert same is not mode
        assert not program.graph.find_nodes(op="placeholder")[-1].name.startswith("mask")
    try:
        exported.eval()
    except NotImplementedError as refusal:
        print("eval() afterwards:", str(refusal).splitlines()[0])
    else:
        raise AssertionError("an exported program has no mode to switch")


if __name__ == "__main__":
    main()
