"""ONNX in between, and the camera's part made of OpenVINO's own operators in front of it."""


### BEGIN SOLUTION yolo_on_mobile.openvino
import io

import detector
import numpy as np
import openvino as ov
import torch
from boxes import decode
from openvino import opset13 as ops


def to_openvino(height, width, target):
    """Write the detector to `target`, an .xml file with its .bin beside it."""

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = detector.load().requires_grad_(False)

        def forward(self, x):
            return decode(*self.net(x), self.net.anchors)

    file = io.BytesIO()
    torch.onnx.export(
        Whole().eval(),
        (torch.rand(1, 3, height, width),),
        file,
        dynamo=False,
        opset_version=17,
        input_names=["x"],
        output_names=["rows"],
    )
    file.seek(0)
    network = ov.convert_model(file)
    (old,) = network.get_parameters()
    new, planar = camera(height, width)
    for reader in old.output(0).get_target_inputs():
        reader.replace_source_output(planar.output(0))
    result = network.get_results()[0].input_value(0)
    result.get_tensor().set_names({"table"})
    ov.save_model(ov.Model([result], [new], "detector"), str(target), False)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.openvino camera
def camera(height, width):
    """The new input, and what the network reads: float32 [1, 3, height, width], red first."""
    frames = ops.parameter([1, height, width, 3], np.uint8, name="frames")
    frames.output(0).get_tensor().set_names({"frames"})
    backwards = ops.gather(frames, np.array([2, 1, 0]), np.array(3))
    planar = ops.transpose(ops.convert(backwards, np.float32), np.array([0, 3, 1, 2]))
    return frames, ops.multiply(planar, np.float32(1 / 255))


### END SOLUTION
