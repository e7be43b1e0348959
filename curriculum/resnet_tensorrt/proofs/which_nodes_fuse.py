"""A residual block as it was written, as it is exported, and as ONNX Runtime runs it.

figures/fused_block.py draws what this program finds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import (
    BASIC,
    EXTENDED,
    OFF,
    export,
    free_batch,
    given,
    operators,
    optimized,
    run,
)


def block() -> nn.Module:
    """One that adds its own input, with statistics as after some training."""
    torch.manual_seed(0)
    made = given("resnet").Bottleneck(8, 2)
    for layer in made.modules():
        if isinstance(layer, nn.BatchNorm2d):
            assert layer.running_mean is not None
            layer.running_mean.normal_()
    return made.eval()


def stages() -> dict[str, onnx.ModelProto]:
    """The graph as written, with the batch norms folded, and with the activations fused."""
    example = torch.zeros(2, 8, 8, 8)
    keep = {"training": torch.onnx.TrainingMode.PRESERVE, "do_constant_folding": False}
    written = export(block(), example, **free_batch(), **keep)
    return {
        "written": written,
        "folded": optimized(written, BASIC),
        "fused": optimized(written, EXTENDED),
    }


def main() -> None:
    """Count operators stage by stage, compare the answers, and block a fusion."""
    found = stages()
    for name, model in found.items():
        print(f"{name:8} {sum(operators(model).values()):2} nodes {dict(operators(model))}")
    assert operators(found["written"])["BatchNormalization"] == 3
    assert operators(found["folded"]) == {"Conv": 3, "Relu": 3, "Add": 1}
    assert operators(found["fused"]) == {"FusedConv": 2, "Conv": 1, "Add": 1, "Relu": 1}

    x = np.random.default_rng(0).standard_normal((2, 8, 8, 8)).astype(np.float32)
    plain, whole = run(found["written"], x, OFF), run(found["written"], x, EXTENDED)
    print(f"largest difference after both: {abs(plain - whole).max():.1e}")
    assert np.allclose(plain, whole, atol=1e-5)

    for dynamo in (False, True):
        by = export(block(), torch.zeros(2, 8, 8, 8), **free_batch(dynamo))
        assert operators(by)["BatchNormalization"] == 0
    print("both exporters fold the batch norms of a network in evaluation mode themselves")

    # Somebody looks at what the first batch norm gives: then it has to exist.
    watched = onnx.ModelProto()
    watched.CopyFrom(found["folded"])
    first = next(node for node in watched.graph.node if node.op_type == "Conv")
    watched.graph.output.append(onnx.ValueInfoProto(name=first.output[0]))
    counted = operators(optimized(watched, EXTENDED))
    print(f"with one more output between Conv and Relu: {dict(counted)}")
    assert counted["FusedConv"] == 1


if __name__ == "__main__":
    main()
