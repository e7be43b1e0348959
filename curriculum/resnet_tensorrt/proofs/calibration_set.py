"""Static int8 with three calibration sets: whose ranges, and what accuracy is left."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx

sys.path.append(str(Path(__file__).parent))
from conversion.kit import Array, given, quantized, right, run, signs, trained_onnx

PICTURES, CALIBRATION = 200, 32


def scales(model: onnx.ModelProto) -> dict[str, float]:
    """Of the activations, by the name of the scale."""
    names = {node.input[1] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    return {name: float(tensors[name]) for name in names if tensors[name].ndim == 0}


def sets() -> dict[str, Array]:
    """Of as many pictures each: of all classes, of one class, and of all in fog."""
    rgb, labels = signs(1, 400)
    fog = (rgb[:CALIBRATION] * 0.1 + 110).astype(np.uint8)
    return {
        "all classes": rgb[:CALIBRATION],
        "one class": rgb[labels == 0][:CALIBRATION],
        "all classes, fog": fog,
    }


def _narrower(found: dict[str, dict[str, float]], name: str) -> float:
    """Median over the activations."""
    wide = found["all classes"]
    return float(np.median([found[name][key] / wide[key] for key in wide]))


def main() -> None:
    """Quantize, count right answers, and compare the ranges that were found."""
    normalize, model = given("signs").normalize, trained_onnx()
    rgb, labels = signs(7, PICTURES)
    x = normalize(rgb)
    full = right(run(model, x), labels)
    print(f"{'fp32':20} {full / PICTURES:6.1%}")
    counts, found = {}, {}
    for name, pictures in sets().items():
        int8 = quantized(model, normalize(pictures))
        counts[name], found[name] = right(run(int8, x), labels), scales(int8)
        share = _narrower(found, name)
        print(
            f"{name:20} {counts[name] / PICTURES:6.1%}  scales {share:.2f} of those of all classes"
        )
    assert counts["all classes"] >= full - 0.03 * PICTURES, "the accuracy floor of a good set"
    assert counts["one class"] >= full - 0.05 * PICTURES, "these signs fill the ranges of all"
    assert _narrower(found, "all classes, fog") < 0.5, "without contrast the ranges cut others off"
    assert counts["all classes, fog"] < 0.7 * counts["all classes"]
    whole, each = (sum(t.ByteSize() for t in m.graph.initializer) for m in (model, int8))
    print(f"initializers: {whole:,} bytes in fp32, {each:,} in int8")
    assert each < 0.35 * whole


if __name__ == "__main__":
    main()
