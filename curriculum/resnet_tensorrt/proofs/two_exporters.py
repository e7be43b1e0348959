"""A branch on data: the legacy exporter keeps one side, the other refuses, cond has both."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import export, operators, run


class Branches(nn.Module):
    """Doubles what is positive on average, and negates what is not."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Decides in Python, which no graph contains."""
        if x.mean() > 0:
            return x * 2
        return -x


class Conditional(nn.Module):
    """The same, with the decision in the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Both sides are traced."""
        return torch.cond(x.mean() > 0, lambda x: x * 2, lambda x: -x, (x,))


def main() -> None:
    """Export with a positive example, and ask with a negative one."""
    positive, negative = torch.ones(3), -torch.ones(3)
    legacy = export(Branches(), positive)
    onnx.checker.check_model(legacy, full_check=True)
    said = run(legacy, negative.numpy())
    print(f"legacy: {dict(operators(legacy))}, -1 becomes {said[0]:g} and should become 1")
    assert np.array_equal(said, [-2, -2, -2])

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.jit.trace(Branches(), positive)
    assert any(issubclass(one.category, torch.jit.TracerWarning) for one in told)
    print("its tracer warned: TracerWarning")

    try:
        export(Branches(), positive, dynamo=True)
    except torch.onnx.OnnxExporterError as refusal:
        kind = type(refusal).__name__
        print(f"dynamo: refused, {kind}")
    else:
        raise AssertionError("a branch on data was exported")

    both = export(Conditional(), positive, dynamo=True)
    print(f"torch.cond: {dict(operators(both))}, -1 becomes {run(both, negative.numpy())[0]:g}")
    assert operators(both)["If"] == 1
    assert np.array_equal(run(both, negative.numpy()), [1, 1, 1])
    assert np.array_equal(run(both, positive.numpy()), [2, 2, 2])


if __name__ == "__main__":
    main()
