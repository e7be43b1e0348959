"""What a delegate takes of the detector, and in how many parts, by the operators that it lacks."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

import onnx
import torch

sys.path.append(str(Path(__file__).parent))
from detecting.kit import given, trained


def exported(path: Path) -> list[str]:
    """The network without its decoding; the types of its operators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            trained(), (torch.zeros(1, 3, 128, 128),), path, dynamo=False, opset_version=17
        )
    return sorted({node.op_type for node in onnx.load(path).graph.node})


def main() -> None:
    """One card for each operator that is missing."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        model, card = Path(name) / "detector.onnx", Path(name) / "card.json"
        operators = exported(model)
        total = len(onnx.load(model).graph.node)
        for missing in ("nothing", "Slice", "Resize", "MaxPool", "Sigmoid"):
            taken = {op: {} for op in operators if op != missing}
            card.write_text(json.dumps({"operators": taken, "limits": {}}), encoding="utf-8")
            found[missing] = audit = given("budget").audit(model, card)
            share = 1 - len(audit["refused"]) / total
            print(
                f"without {missing:8} {share:4.0%} of the nodes delegated, "
                f"{audit['segments']:3} partitions, {audit['crossing_bytes'] / 1e6:5.2f} MB across"
            )
    assert found["nothing"]["segments"] == 1
    assert found["Sigmoid"]["segments"] > 40
    assert found["Sigmoid"]["crossing_bytes"] > 5 * found["nothing"]["crossing_bytes"]
    assert found["MaxPool"]["crossing_bytes"] < found["Resize"]["crossing_bytes"]


if __name__ == "__main__":
    main()
