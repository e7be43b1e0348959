"""TorchScript's exporter and traces; the picture's layout is turned inside of the module for LiteRT."""


### BEGIN SOLUTION yolo_on_mobile.yolov5n
import os
import tempfile
import zipfile

import detector
import torch
from torch import nn


class Rows(nn.Module):
    """The network and its decoding with the grid as buffers of one size."""

    def __init__(self, height, width):
        super().__init__()
        self.net = detector.load(detector.PUBLISHED)
        grids = []
        for number, stride in enumerate(detector.STRIDES):
            ys = torch.arange(height // stride).repeat_interleave(width // stride)
            xs = torch.arange(width // stride).repeat(height // stride)
            at = torch.stack((xs, ys), -1)[None].repeat(3, 1, 1).flatten(0, 1)
            anchors = self.net.anchors[number].repeat_interleave(len(xs), 0)
            scale = torch.full((len(at), 1), float(stride))
            grids.append(torch.cat((at - 0.5, anchors, scale), 1))
        grid = torch.cat(grids)
        self.register_buffer("corner", grid[:, :2])
        self.register_buffer("anchor", grid[:, 2:4])
        self.register_buffer("stride", grid[:, 4:])

    def forward(self, pictures):
        maps = [raw.unflatten(1, (3, -1)).flatten(3).transpose(2, 3) for raw in self.net(pictures)]
        rows = torch.cat([each.flatten(1, 2) for each in maps], 1).sigmoid()
        xy = (2 * rows[..., 0:2] + self.corner) * self.stride
        wh = (2 * rows[..., 2:4]).pow(2) * self.anchor
        return torch.cat((xy, wh, rows[..., 4:]), 2)


class LastToFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = detector.load(detector.PUBLISHED)

    def forward(self, picture):
        return self.net(picture.permute(0, 3, 1, 2))


def to_onnx(height, width, target):
    """Write YOLOv5n with its decoding to `target`, an .onnx file for one picture."""
    torch.onnx.export(
        Rows(height, width).eval(),
        torch.rand(1, 3, height, width),
        str(target),
        dynamo=False,
        input_names=["pictures"],
        output_names=["table"],
        opset_version=13,
    )


def to_openvino(height, width, target):
    """The same as OpenVINO's IR: `target` is an .xml file, with its .bin beside it."""
    from openvino import Core, serialize

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "n.onnx")
        to_onnx(height, width, path)
        serialize(Core().read_model(path), str(target), str(target)[: -len("xml")] + "bin")


def to_litert(height, width, target):
    """The network without decoding for LiteRT: `target` is a .tflite file."""
    import litert_torch

    example = (torch.rand(1, height, width, 3),)
    litert_torch.convert(LastToFirst().eval(), example).export(str(target))


def to_coreml(height, width, target):
    """The network without decoding for Core ML: `target` is a zip of an .mlpackage."""
    import coremltools as ct

    example = torch.rand(1, 3, height, width)
    traced = torch.jit.trace(detector.load(detector.PUBLISHED), example)
    model = ct.convert(
        traced,
        inputs=[ct.ImageType("picture", example.shape, scale=1 / 255)],
        outputs=[ct.TensorType(name) for name in "small middle large".split()],
        minimum_deployment_target=ct.target.iOS16,
        skip_model_load=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "yolov5n.mlpackage")
        model.save(package)
        with zipfile.ZipFile(target, "w") as packed:
            for parent, _, names in os.walk(package):
                for name in names:
                    path = os.path.join(parent, name)
                    packed.write(path, os.path.relpath(path, folder))


### END SOLUTION
