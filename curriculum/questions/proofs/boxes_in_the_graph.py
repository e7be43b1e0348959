"""Suppression of overlapping boxes in the graph: an operator whose output has no fixed size."""

from __future__ import annotations

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def overlap(a: Array, b: Array) -> float:
    """Intersection over union."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    inner = float(np.prod(np.maximum(high - low, 0)))
    areas = [float(np.prod(box[2:] - box[:2])) for box in (a, b)]
    return inner / (sum(areas) - inner)


# --8<-- [start:fixed]
def suppressed(
    boxes: Array, scores: Array, threshold: float, least: float, size: int
) -> np.ndarray:
    """Indices of what is kept, always `size` of them; -1 where there is none left."""
    order = [i for i in np.argsort(-scores, kind="stable") if scores[i] > least]
    kept: list[int] = []
    for index in order:
        if all(overlap(boxes[index], boxes[other]) <= threshold for other in kept):
            kept.append(int(index))
    return np.array((kept + [-1] * size)[:size])


# --8<-- [end:fixed]


def in_the_file(boxes: Array, scores: Array, threshold: float, least: float) -> np.ndarray:
    """ONNX's operator. scores: a row for each class."""
    ends = [
        helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, len(boxes), 4]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, *scores.shape]),
    ]
    stored = [
        numpy_helper.from_array(np.array([100], np.int64), "most"),
        numpy_helper.from_array(np.array([threshold], np.float32), "threshold"),
        numpy_helper.from_array(np.array([least], np.float32), "least"),
    ]
    node = helper.make_node(
        "NonMaxSuppression", ["boxes", "scores", "most", "threshold", "least"], ["kept"]
    )
    out = helper.make_tensor_value_info("kept", TensorProto.INT64, ["found", 3])
    graph = helper.make_graph([node], "g", ends, [out], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return np.asarray(session.run(None, {"boxes": boxes[None], "scores": scores[None]})[0])


def main() -> None:
    """Count what comes out, and compare with an output of fixed size."""
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 90, (40, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(10, 40, (40, 2))], 1).astype(np.float32)
    scores = rng.random((1, 40), dtype=np.float32)
    counts: list[int] = []
    for least in (0.2, 0.6, 0.9):
        kept = in_the_file(boxes, scores, 0.5, least)
        fixed = suppressed(boxes, scores[0], 0.5, least, 40)
        counts.append(len(kept))
        print(
            f"score above {least}: the operator returns {list(kept.shape)}, the fixed one [40], "
            f"{sum(fixed < 0)} empty"
        )
        assert sorted(kept[:, 2].tolist()) == sorted(fixed[fixed >= 0].tolist())
    assert counts[0] > counts[1] > counts[2]

    row = np.array([[0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]], np.float32)
    falling = np.array([[0.9, 0.8, 0.7]], np.float32)
    kept = in_the_file(row, falling, 0.4, 0.0)[:, 2].tolist()
    at_once = [i for i in range(3) if all(overlap(row[i], row[j]) <= 0.4 for j in range(i))]
    print(f"three in a row, neighbors overlap: kept {kept}; all compared at once {at_once}")
    assert (kept, at_once) == ([0, 2], [0]), "a dropped box must not drop others"

    classes = rng.integers(0, 3, 40)
    apart = np.zeros((3, 40), np.float32)
    apart[classes, np.arange(40)] = scores[0]
    by_class = in_the_file(boxes, apart, 0.5, 0.01)
    moved = boxes + (classes * 1000)[:, None].astype(np.float32)
    by_offset = suppressed(moved, scores[0], 0.5, 0.01, 40)
    print(
        f"three classes: {len(by_class)} kept by class, {sum(by_offset >= 0)} with an offset of "
        f"1000 a class, one call"
    )
    assert sorted(by_class[:, 2].tolist()) == sorted(by_offset[by_offset >= 0].tolist())
    half = moved.astype(np.float16).astype(np.float32)
    print(f"the same offset in fp16 moves corners by up to {np.abs(half - moved).max():.1f} pixels")
    assert np.abs(half - moved).max() >= 0.4
    flat = 8400 * 84 * 4
    print(
        f"8400 candidates of 84 numbers leave the device otherwise: {flat / 1e6:.1f} MB; 100 "
        f"boxes of 6: {100 * 6 * 4:,} bytes"
    )


if __name__ == "__main__":
    main()
