"""The network to quantize, calibration frames, and readers and runners of candidate files.

Runs in the judge's workers, beside the module's detector.py, shapes.py and weights. `source`,
`calibration`, `pictures` and `objects` never see anything of a candidate's; `structure`, `load` and
`run` get its file, in a separate process.
"""

import tempfile
import warnings
from pathlib import Path

import numpy as np

NIGHT = 0.2
"""Brightness of night frames relative to day."""

INTEGERS = ("QLinearConv",)
INT8 = (2, 3)  # UINT8 and INT8 of onnx.TensorProto

session = None


def source():
    """Return the path of the trained network in ONNX with decoding: images to a float32 table."""
    import detector
    import torch

    path = _folder() / "detector.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            _Decoded(detector.load()),
            (torch.zeros(1, 3, detector.SIDE, detector.SIDE),),
            path,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
            dynamic_axes={"pictures": {0: "n"}, "table": {0: "n"}},
        )
    return str(path)


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
    path = _folder() / "calibration.npz"
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
    import torch

    given = torch.empty(len(out), 3, detector.SIDE, detector.SIDE)
    pictures(seed, given)
    with torch.inference_mode():
        out.copy_(_Decoded(detector.load())(given))


def interface(path):
    """Return names, types and sizes of a model's ends, and domains of foreign operators."""
    import onnx

    onnx.checker.check_model(path, full_check=True)
    model = onnx.load(path, load_external_data=False)
    return {
        "inputs": [_ends(value) for value in model.graph.input],
        "outputs": [_ends(value) for value in model.graph.output],
        "external": any(t.data_location == t.EXTERNAL for t in model.graph.initializer),
        "foreign": sorted({node.domain for node in model.graph.node} - {"", "ai.onnx"}),
        "version": model.model_version,
    }


def suppressed(given, limits, out):
    """Run the loaded file on each image.

    given: float32 [n, 3, side, side]. limits: [n, 2], floor and overlap for each image.
    out: [n, most + 1, 6]: the boxes, and as last row the count.
    """
    for place, (picture, pair) in enumerate(zip(given.numpy(), limits.numpy(), strict=True)):
        floor, overlap = pair[:1].astype(np.float32), pair[1:].astype(np.float32)
        fed = {"pictures": picture[None], "floor": floor, "overlap": overlap}
        boxes, count = session.run(["boxes", "count"], fed)
        out.numpy()[place, :-1] = boxes[0]
        out.numpy()[place, -1] = count[0]


def load(path):
    """Load a file to run."""
    global session
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run(given, out):
    """Run the loaded file. given: float32 [n, 3, side, side]. out: the tables."""
    rows = given.numpy()
    for begin in range(0, len(rows), 20):
        part = slice(begin, begin + 20)
        out.numpy()[part] = session.run(None, {"pictures": rows[part]})[0]


def structure(path):
    """Return inputs, outputs and the kind of each convolution's operands, as plain data."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    made = {name: node for node in graph.node for name in node.output}
    stored = {tensor.name: tensor for tensor in graph.initializer}
    return {
        "inputs": [value.name for value in graph.input],
        "outputs": [value.name for value in graph.output],
        "external": any(t.data_location == t.EXTERNAL for t in stored.values()),
        "convolutions": [_kind(n, made, stored) for n in graph.node if "Conv" in n.op_type],
    }


def _kind(node, made, stored):
    """Return [activation, weight] of a convolution, each "static", "dynamic" or "float"."""
    if node.op_type in INTEGERS:
        return ["static", "static"]
    if node.op_type != "Conv":
        return ["dynamic", "static"]
    before = made.get(node.input[0])
    activation = "float"
    if before is not None and before.op_type == "DequantizeLinear":
        scaled = all(name in stored for name in before.input[1:] if name)
        activation = "static" if scaled and before.input[0] not in stored else "float"
    weight = made.get(node.input[1])
    static = weight is not None and weight.op_type == "DequantizeLinear"
    integer = static and weight.input[0] in stored and stored[weight.input[0]].data_type in INT8
    return [activation, "static" if integer else "float"]


def _ends(value):
    kind = value.type.tensor_type
    return [value.name, kind.elem_type, [dim.dim_value for dim in kind.shape.dim]]


def _folder():
    return Path(tempfile.mkdtemp(prefix="detecting-"))


def _Decoded(network):  # noqa: N802 - a class, but torch is only loaded here
    import torch

    class Decoded(torch.nn.Module):
        """The network with its decoding, for images of the network's own size."""

        def __init__(self):
            super().__init__()
            self.network = network

        def forward(self, pictures):
            parts = []
            maps = self.network(pictures)
            for raw, stride, sizes in zip(maps, network.strides, network.anchors, strict=True):
                rows, columns, numbers = raw.shape[2], raw.shape[3], raw.shape[1] // 3
                down, right = torch.meshgrid(
                    torch.arange(rows), torch.arange(columns), indexing="ij"
                )
                grid = torch.stack((right, down)).float().view(1, 1, 2, rows * columns)
                cells = raw.view(-1, 3, numbers, rows * columns).sigmoid()
                centre = (2 * cells[:, :, 0:2] - 0.5 + grid) * stride
                size = (2 * cells[:, :, 2:4]) ** 2 * sizes.view(1, 3, 2, 1)
                table = torch.cat((centre, size, cells[:, :, 4:]), 2).permute(0, 1, 3, 2)
                parts.append(table.reshape(-1, 3 * rows * columns, numbers))
            return torch.cat(parts, 1)

    return Decoded().eval()
