"""The camera's bytes are prepared in the PyTorch module itself; traced by OpenVINO's own frontend."""


### BEGIN SOLUTION yolo_on_mobile.openvino
import boxes
import detector
import openvino as ov
import torch
from torch import nn


class FromCamera(nn.Module):
    """uint8 [1, height, width, 3], blue first, to the table."""

    def __init__(self):
        super().__init__()
        self.yolo = detector.load()

    def forward(self, frames):
        rgb = frames.permute(0, 3, 1, 2).flip(1)
        maps = self.yolo(rgb.to(torch.float32).div(255.0))
        return boxes.decode(*maps, self.yolo.anchors)


def to_openvino(height, width, target):
    """Write the detector to `target`, an .xml file with its .bin beside it."""
    frames = torch.zeros((1, height, width, 3), dtype=torch.uint8)
    with torch.no_grad():
        model = ov.convert_model(FromCamera().eval(), example_input=frames)
    model.reshape([1, height, width, 3])
    model.input(0).get_tensor().add_names({"frames"})
    model.output(0).get_tensor().add_names({"table"})
    ov.serialize(model, target)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.openvino camera
# FromCamera does it.
### END SOLUTION
