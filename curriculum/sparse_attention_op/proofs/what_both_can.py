"""Versions that have to meet, and what is left of a node in a file for each runtime."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import onnx

sys.path.append(str(Path(__file__).parent))
from sparse_lab.exports import export_ops, fallback


def main() -> None:
    """The format that each opset needs; three offers; one file for four runtimes."""
    needed = {
        opset: onnx.helper.find_min_ir_version_for([onnx.helper.make_opsetid("", opset)])
        for opset in (17, 18, 19, 20, 21, 22)
    }
    print("opset: oldest IR version that may import it", needed)
    folder = Path(tempfile.mkdtemp())
    offer, path = folder / "offer.json", str(folder / "function.onnx")
    node = {"version": 1, "block": 16, "causal": False}
    kernel = {"version": 1, "blocks": [16], "causal": False}
    for label, own, opset, ir in (
        ("a kernel, opset 17, IR 8", kernel, 17, 8),
        ("no kernel, opset 17, IR 8", None, 17, 8),
        ("no kernel, opset 22, IR 8", None, 22, 8),
    ):
        runtime = {"opset": opset, "ir": ir, "functions": True, "lab": own}
        offer.write_text(json.dumps({"exporter": [17, 22], "node": node, "runtime": runtime}))
        print(f"{label}: {fallback.negotiate(str(offer))}")
    export_ops.as_function(2, 32, 16, False, path)
    for label, own in (
        ("its kernel", kernel),
        ("no kernel", None),
        ("a kernel for blocks of 32", {**kernel, "blocks": [32]}),
        ("a kernel of version 2", {**kernel, "version": 2}),
    ):
        offer.write_text(json.dumps({"opset": 18, "ir": 8, "functions": False, "lab": own}))
        target = str(folder / "target.onnx")
        fallback.partition(path, str(offer), target)
        found = Counter(n.domain or "ai.onnx" for n in onnx.load(target).graph.node)
        print(f"for a runtime with {label}: {dict(found)}")
        assert ("hotloop.lab" in found) == (label == "its kernel")


if __name__ == "__main__":
    main()
