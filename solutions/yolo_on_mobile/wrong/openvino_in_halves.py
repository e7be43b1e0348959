"""Saves as it is done by default: the weights become float16, and coordinates move.

fails: openvino.file
"""

### BEGIN SOLUTION yolo_on_mobile.openvino
import detector
import torch
from boxes import decode


class Decoded(torch.nn.Module):
    """The network with its decoding: pictures to a table."""

    def __init__(self):
        super().__init__()
        self.network = detector.load()

    def forward(self, pictures):
        return decode(*self.network(pictures), self.network.anchors)


def to_openvino(height, width, target):
    """Write the detector to `target`, an .xml file with its .bin beside it."""
    import openvino

    picture = torch.zeros(1, 3, height, width)
    model = openvino.convert_model(
        torch.export.export(Decoded().eval(), (picture,)), input=[list(picture.shape)]
    )
    model.inputs[0].set_names({"frames"})
    model.outputs[0].set_names({"table"})
    model = with_camera(model)
    openvino.save_model(model, target)


### END SOLUTION
