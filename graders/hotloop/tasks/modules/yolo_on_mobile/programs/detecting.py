"""The network to quantize, calibration frames, and readers and runners of candidate files.

Runs in the judge's workers, beside the module's detector.py, shapes.py and weights. `source`,
`calibration`, `pictures` and `objects` never see anything of a candidate's; `structure`, `load` and
`suppressed` get its file, in a separate process.
"""

import tempfile
from pathlib import Path

import numpy as np

NIGHT = 0.2
"""Brightness of night frames relative to day."""


def source():
    """Return the path of the trained network in ONNX with decoding: images to a float32 table."""
    import detector
    import exporting

    return exporting.write(detector.SIDE, detector.SIDE)


def calibration(seed, count):
    """Return the path of an .npz: "pictures", uint8 [count, side, side, 3], RGB.

    The first third are night frames.
    """
    import detector
    import shapes

    pictures, _, _ = shapes.squares(seed, count, detector.SIDE)
    bars = (pictures == shapes.PADDING).all(3, keepdims=True)
    night = (pictures[: count // 3] * NIGHT).astype(np.uint8)
    pictures[: count // 3] = np.where(bars[: count // 3], np.uint8(shapes.PADDING), night)
    path = Path(tempfile.mkdtemp(prefix="detecting-")) / "calibration.npz"
    np.savez_compressed(path, pictures=pictures)
    return str(path)


def pictures(seed, out):
    """Fill `out`, float32 [n, 3, side, side], with the network's input images."""
    import shapes

    sampled, _, _ = shapes.squares(seed, len(out), out.shape[2])
    out.numpy()[...] = sampled.transpose(0, 3, 1, 2).astype(np.float32) / 255


def objects(seed, count, side):
    """Return the objects in the same images: for each image a list of corners and class."""
    import shapes

    _, corners, classes = shapes.squares(seed, count, side)
    pairs = zip(corners, classes, strict=True)
    return [np.column_stack(pair).tolist() for pair in pairs]


def tables(seed, out):
    """Fill `out` with the network's decoded tables for the same images, of the network's size."""
    import detector
    import eager
    import torch

    images = torch.empty(len(out), 3, detector.SIDE, detector.SIDE)
    pictures(seed, images)
    eager.run(images, out)


def load(path):
    """Load a file to run."""
    import ort_session

    ort_session.load(path)


def suppressed(images, limits, out):
    """Run the loaded file on each image.

    images: float32 [n, 3, side, side]. limits: [n, 2], floor and overlap for each image.
    out: [n, most + 1, 6]: the boxes, and as last row the count.
    """
    from ort_session import LOADED

    (session,) = LOADED
    for place, (picture, pair) in enumerate(zip(images.numpy(), limits.numpy(), strict=True)):
        floor, overlap = pair[:1].astype(np.float32), pair[1:].astype(np.float32)
        inputs = {"pictures": picture[None], "floor": floor, "overlap": overlap}
        boxes, count = session.run(["boxes", "count"], inputs)
        out.numpy()[place, :-1] = boxes[0]
        out.numpy()[place, -1] = count[0]


def structure(path):
    """Return the kind of each convolution's operands, see `onnx_operands.operands`."""
    import onnx
    from onnx_operands import operands

    graph = onnx.load(path, load_external_data=False).graph
    return [node for node in operands(graph) if "Conv" in node["op"]]
