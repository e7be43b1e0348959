"""What an ONNX file holds: versions, types, names, weights; and no preprocessing."""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import operators, trained, trained_onnx


def inspect(model: onnx.ModelProto) -> None:
    """Print what a runtime reads before it computes anything."""
    # --8<-- [start:inspect]
    opset = {entry.domain or "ai.onnx": entry.version for entry in model.opset_import}
    weights = sum(onnx.numpy_helper.to_array(t).nbytes for t in model.graph.initializer)
    for value in (*model.graph.input, *model.graph.output):
        tensor = value.type.tensor_type
        shape = [dim.dim_param or dim.dim_value for dim in tensor.shape.dim]
        print(value.name, onnx.TensorProto.DataType.Name(tensor.elem_type), shape)
    # --8<-- [end:inspect]
    total = model.ByteSize()
    print(f"IR version {model.ir_version}, opset {opset}, made by {model.producer_name}")
    print(f"{sum(operators(model).values())} nodes, {weights:,} bytes of weights of {total:,}")
    assert weights / total > 0.95


def main() -> None:
    """Of ResNet-50 in the width of the module."""
    network, model = trained(), trained_onnx()
    onnx.checker.check_model(model, full_check=True)
    inspect(model)
    counted = operators(model)
    print(dict(counted))
    assert counted["Conv"] == 53
    assert counted["Relu"] == 49
    assert counted["Add"] == 16
    assert sum(counted.values()) == 122
    assert counted["BatchNormalization"] == 0, "folded when it was exported"
    norms = sum(isinstance(layer, nn.BatchNorm2d) for layer in network.modules())
    print(f"the network has {norms} batch norms, the file none")
    assert norms == 53
    text = str(model.graph.input[0])
    assert "RGB" not in text, "nothing says in which order the channels are"
    assert [value.name for value in model.graph.input] == ["input"]

    swapped = onnx.ModelProto()
    swapped.CopyFrom(model)
    del swapped.graph.node[5:6]
    try:
        onnx.checker.check_model(swapped)
    except onnx.checker.ValidationError as refusal:
        print(f"a node removed: {str(refusal).splitlines()[0][:70]}")
    else:
        raise AssertionError("a graph with a gap was accepted")


if __name__ == "__main__":
    main()
