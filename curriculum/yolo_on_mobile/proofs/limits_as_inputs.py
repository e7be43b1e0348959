"""A file with suppression in it: sizes that are known, and limits that are inputs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

sys.path.append(str(Path(__file__).parent))
from detecting.kit import fed, given, kept, scenes, tables, trained

MOST = 10


def main() -> None:
    """The file against the functions, at three limits."""
    pictures, _ = scenes(12)
    inputs = fed(pictures)
    table = tables(trained(), inputs)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "boxes.onnx"
        given("export").export(MOST, path)
        graph = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    sizes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in graph.output}
    print(f"outputs: {sizes}")
    selected = next(node.output[0] for node in graph.node if node.op_type == "NonMaxSuppression")
    (value,) = [v for v in graph.value_info if v.name == selected]
    known = [bool(dim.dim_value) for dim in value.type.tensor_type.shape.dim]
    print(f"NonMaxSuppression's own output: sizes known before it runs {known}")
    assert known == [False, True]
    for floor in (0.05, 0.25, 0.6):
        limits = {"floor": np.float32([floor]), "overlap": np.float32([0.5])}
        total = 0
        for picture, one in zip(inputs.numpy(), table, strict=True):
            boxes, count = session.run(None, {"pictures": picture[None], **limits})
            want = kept(one, floor, 0.5, MOST)
            assert count[0] == len(want)
            assert np.abs(boxes[0, : len(want)] - want).max(initial=0) < 1e-2
            total += int(count[0])
        print(f"floor {floor:4}: the same {total} boxes in 12 pictures as by the functions")


if __name__ == "__main__":
    main()
