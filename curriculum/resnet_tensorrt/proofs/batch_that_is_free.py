"""Which dimension of an exported graph is free, and how one is baked in without anybody's wish."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import export, free_batch, run, session


class Flattens(nn.Module):
    """A classifier that flattens as it is told to."""

    def __init__(self, count: str) -> None:
        super().__init__()
        self.count, self.last = count, nn.Linear(12, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, 3, 2, 2] to [batch, 3]."""
        rows: Any = x.shape[0]
        if self.count == "an int":
            rows = int(rows)
        return self.last(x.reshape(rows, 12))


def first_dimension(model: onnx.ModelProto) -> str | int:
    """Of the input: a name where it is free."""
    dimension = model.graph.input[0].type.tensor_type.shape.dim[0]
    return dimension.dim_param or dimension.dim_value


def takes(model: onnx.ModelProto, rows: int) -> bool:
    """Whether ONNX Runtime computes a batch of this size with it."""
    try:
        return run(model, np.zeros((rows, 3, 2, 2), np.float32)).shape == (rows, 3)
    except Exception as refusal:  # noqa: BLE001  # it raises several kinds, and all are a refusal
        print(f"      {rows} rows: {type(refusal).__name__}")
        return False


def main() -> None:
    """Export with and without a free batch, and ask for another size."""
    example = torch.zeros(2, 3, 2, 2)
    for dynamo in (True, False):
        name = "dynamo" if dynamo else "legacy"
        fixed = export(Flattens("a size"), example, dynamo=dynamo)
        free = export(Flattens("a size"), example, **free_batch(dynamo))
        print(f"{name}: by default the batch is {first_dimension(fixed)!r}")
        assert first_dimension(fixed) == 2
        assert not takes(fixed, 5)
        print(f"{name}: with its option it is {first_dimension(free)!r}")
        assert isinstance(first_dimension(free), str)
        assert takes(free, 5)
        assert takes(free, 1)

    print("legacy, int(x.shape[0]) in the network:")
    baked = export(Flattens("an int"), example, **free_batch())
    assert isinstance(first_dimension(baked), str), "the input still looks free"
    assert takes(baked, 2)
    assert not takes(baked, 5), "but a constant in the graph remembers the example"
    print("legacy: the input says 'batch', and only the example's size works")
    onnx.checker.check_model(baked, full_check=True)
    print("      onnx.checker finds nothing wrong with it")
    assert session(baked).get_inputs()[0].shape[0] == "batch"

    told = export(Flattens("an int"), example, **free_batch(dynamo=True))
    print(f"dynamo, the same int(): asked for a free batch, gives {first_dimension(told)!r}")
    assert first_dimension(told) == 2, "it specialized, but here the input tells"
    alone = export(Flattens("a size"), example[:1], **free_batch(dynamo=True))
    assert takes(alone, 5), "an example of one row does no harm"


if __name__ == "__main__":
    main()
