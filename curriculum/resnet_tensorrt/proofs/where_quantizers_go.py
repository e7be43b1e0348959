"""A quantized residual block: which operators compute in int8, and who pays when one does not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import EXTENDED, export, free_batch, given, operators, optimized, quantized, run


def block(trained: bool = True) -> nn.Module:
    """One that adds its own input. Without training all its biases are the same zeros."""
    torch.manual_seed(0)
    made = given("resnet").Bottleneck(16, 4).eval()
    for layer in made.modules():
        if trained and isinstance(layer, nn.BatchNorm2d):
            assert layer.running_mean is not None
            layer.running_mean.normal_()
    return made


def conversions(model: onnx.ModelProto) -> int:
    """Quantize and dequantize nodes that are left when all that can be fused is fused."""
    counted = operators(model)
    return counted["QuantizeLinear"] + counted["DequantizeLinear"]


def main() -> None:
    """Everything quantized, and only the convolutions."""
    plain = _exported(block())
    x = np.random.default_rng(0).standard_normal((32, 16, 8, 8)).astype(np.float32)
    whole = quantized(plain, x)
    only = quantized(plain, x, op_types_to_quantize=["Conv"])
    print(f"in the file: {dict(operators(whole))}")
    for name, model in (("all operators", whole), ("Conv only", only)):
        fused = optimized(model, EXTENDED)
        error = abs(run(model, x[:4]) - run(plain, x[:4])).max()
        print(f"{name:14} run as {dict(operators(fused))}")
        print(f"{'':14} {conversions(fused)} conversions, largest error {error:.3f}")
    inside = optimized(whole, EXTENDED)
    assert operators(inside)["QLinearConv"] == 3
    assert operators(inside)["QLinearAdd"] == 1
    assert conversions(inside) == 2, "into int8 at the beginning, out of it at the end"
    mixed = optimized(only, EXTENDED)
    assert operators(mixed)["QLinearConv"] == 3
    assert operators(mixed)["Add"] == 1
    assert conversions(mixed) > 2, "the float addition has a conversion on its way in"
    sizes = [sum(len(t.raw_data) for t in m.graph.initializer) for m in (plain, whole)]
    print(f"weights {sizes[0]:,} bytes, quantized with scales {sizes[1]:,}")

    # Two equal biases: the exporter keeps one, and the other convolution gets it by an Identity.
    shared = _exported(block(trained=False))
    assert operators(shared)["Identity"] == 1
    stays = optimized(quantized(shared, x), EXTENDED)
    print(f"{'a bias behind an Identity':14}: {dict(operators(stays))}")
    assert operators(stays)["Conv"] == 1, "a convolution stays in float because of it"


def _exported(network: nn.Module) -> onnx.ModelProto:
    return export(network, torch.zeros(4, 16, 8, 8), **free_batch())


if __name__ == "__main__":
    main()
