"""A network exported in training mode: what each exporter makes of batch norm and of dropout."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import Array, export, free_batch, operators, quiet, run


def network(dropout: bool) -> nn.Sequential:
    """Convolution and batch norm, whose running averages are not those of any batch."""
    torch.manual_seed(0)
    norm = nn.BatchNorm2d(8)
    assert norm.running_mean is not None
    norm.running_mean.uniform_(-1, 1)
    last = nn.Dropout(0.5) if dropout else nn.Identity()
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), norm, nn.ReLU(), last)


def outputs(dropout: bool, x: torch.Tensor) -> dict[str, Array]:
    """Of the file of each exporter, when the network was in training mode."""
    keep = torch.onnx.TrainingMode.PRESERVE
    found = dict[str, Array]()
    for name, options in {
        "dynamo": free_batch(dynamo=True),
        "legacy": free_batch(),
        "legacy, PRESERVE": free_batch() | {"training": keep},
    }.items():
        model = export(network(dropout).train(), x, **options)
        found[name] = run(model, x.numpy())
        print(f"{name:18} dropout {dropout!s:5} {dict(operators(model))}")
    return found


def main() -> None:
    """Compare with evaluation mode, and with itself in another batch."""
    x = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(1))
    wanted = network(dropout=False).eval()(x).detach().numpy()
    trained = network(dropout=False).train()(x).detach().numpy()
    assert abs(wanted - trained).max() > 0.1

    plain = outputs(False, x)
    assert np.allclose(plain["legacy"], wanted, atol=1e-5), "it switches to evaluation by default"
    assert np.allclose(plain["dynamo"], wanted, atol=1e-5), "batch norm uses its running averages"
    assert np.allclose(plain["legacy, PRESERVE"], trained, atol=1e-4), "statistics of the batch"
    print(
        "without dropout: dynamo and legacy give evaluation mode, PRESERVE the batch's statistics"
    )

    model = export(
        network(False).train(), x, training=torch.onnx.TrainingMode.PRESERVE, **free_batch()
    )
    onnx.checker.check_model(model)
    norm = next(node for node in model.graph.node if node.op_type == "BatchNormalization")
    assert next(a.i for a in norm.attribute if a.name == "training_mode") == 1
    alone = run(model, x.numpy()[:1])
    assert abs(alone - plain["legacy, PRESERVE"][:1]).max() > 0.05
    print("PRESERVE: a picture's answer depends on the others in its batch")

    random = outputs(True, x)
    assert np.allclose(random["legacy"], wanted, atol=1e-5)
    assert abs(random["dynamo"] - wanted).max() > 0.1
    share = float((random["dynamo"][wanted > 0] == 0).mean())
    assert 0.3 < share < 0.7
    print(f"measured: with dropout, dynamo: {share:.0%} of the positive values are zero")

    with warnings.catch_warnings(record=True) as told, quiet():
        warnings.simplefilter("always")
        torch.export.export(network(False).train(), (x,))
        torch.onnx.export(network(False).train(), (x,), verbose=False)
    said = [str(one.message) for one in told if "training mode" in str(one.message)]
    print(f"the dynamo exporter says: {said[0][:72]}…")


if __name__ == "__main__":
    main()
