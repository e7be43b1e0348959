"""An old target: what the exporters do when an old opset is asked for, and what cannot go back.

TensorRT 8.2, the newest for a Jetson Nano, reads operators up to opset 13. The board itself is not
needed to see whether a file keeps to that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
import torch
from onnx import version_converter
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import export, free_batch, given, operators

NEWEST = 13


# --8<-- [start:fits]
def complaints(model: onnx.ModelProto, newest: int = NEWEST) -> list[str]:
    """Why a parser of this opset would refuse the file."""
    found = [
        f"opset {entry.version}"
        for entry in model.opset_import
        if not entry.domain and entry.version > newest
    ]
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            found.append(f"{node.domain}::{node.op_type} is no standard operator")
        elif not onnx.defs.has(node.op_type) or _since(node.op_type) > newest:
            found.append(f"{node.op_type} came with opset {_since(node.op_type)}")
    return sorted(set(found))


# --8<-- [end:fits]


def _since(op_type: str) -> int:
    """The first opset that had the operator."""
    return min(s.since_version for s in onnx.defs.get_all_schemas_with_history()
               if s.name == op_type and s.domain == "")  # fmt: skip


class Modern(nn.Module):
    """Two layers that ONNX knew late."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.gelu = nn.LayerNorm(8), nn.GELU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, 8] to [batch, 8]."""
        return self.gelu(self.norm(x))


def opset(model: onnx.ModelProto) -> int:
    """Of the standard domain."""
    return next(entry.version for entry in model.opset_import if not entry.domain)


def memory() -> None:
    """Arithmetic for ResNet-50 at 224 × 224, in its full width, without a board."""
    network = given("resnet").ResNet50(width=64, classes=1000)
    weights = sum(p.numel() for p in network.parameters())
    print(
        f"weights: {weights:,}, in fp32 {4 * weights / 2**20:.0f} MiB, "
        f"in fp16 {2 * weights / 2**20:.0f}"
    )
    assert weights == 25_557_032
    first = 64 * 112 * 112
    for batch in (1, 8, 32):
        print(
            f"batch {batch:2}: the first activation in fp32 is {4 * batch * first / 2**20:6.1f} MiB"
        )
    assert 4 * 32 * first > 90 * 2**20


def main() -> None:
    """Ask for 13 in both exporters, convert downwards, and count memory."""
    plain = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
    for name, network, example in (
        ("Conv, BN, ReLU", plain, torch.zeros(2, 3, 8, 8)),
        ("LayerNorm, GELU", Modern().eval(), torch.zeros(2, 8)),
    ):
        legacy = export(network, example, opset_version=NEWEST, **free_batch())
        dynamo = export(network, example, opset_version=NEWEST, **free_batch(dynamo=True))
        print(f"{name}: asked for 13, legacy gives {opset(legacy)}, dynamo {opset(dynamo)}")
        print(f"   legacy {sum(operators(legacy).values())} nodes, complaints {complaints(legacy)}")
        print(f"   dynamo {sum(operators(dynamo).values())} nodes, complaints {complaints(dynamo)}")
        assert opset(legacy) == NEWEST
        assert not complaints(legacy)
        assert opset(dynamo) == 18, "the oldest that it writes here"
        assert complaints(dynamo)

    newest = export(Modern().eval(), torch.zeros(2, 8), opset_version=20, **free_batch())
    assert complaints(newest)[-1] == "opset 20"
    try:
        version_converter.convert_version(newest, NEWEST)
    except RuntimeError as refusal:
        reason = str(refusal).rpartition(": ")[2]
        print(f"convert_version from 20 to 13: {reason}")
        assert "Gelu" in reason
    else:
        raise AssertionError("an operator was converted that did not exist")
    memory()


if __name__ == "__main__":
    main()
