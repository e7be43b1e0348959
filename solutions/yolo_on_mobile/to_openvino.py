"""The detector for OpenVINO, with what the camera's bytes need in front."""

### BEGIN SOLUTION yolo_on_mobile.openvino
### STUB def to_openvino(height, width, target):
### STUB     """Write the detector to `target`, an .xml file with its .bin beside it."""
### STUB     raise NotImplementedError("yolo_on_mobile.openvino")
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
    # Halves are the default, and cost more than rounding does: coordinates have hundreds of pixels.
    openvino.save_model(model, target, compress_to_fp16=False)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.openvino camera
### STUB # What do bytes, blue first and channels last, need before the network?
def with_camera(model):
    """The model for uint8 [1, height, width, 3], blue first."""
    from openvino import Layout, Type
    from openvino.preprocess import ColorFormat, PrePostProcessor

    prepared = PrePostProcessor(model)
    frames = prepared.input("frames")
    frames.tensor().set_element_type(Type.u8).set_layout(Layout("NHWC"))
    frames.tensor().set_color_format(ColorFormat.BGR)
    frames.model().set_layout(Layout("NCHW"))
    frames.preprocess().convert_element_type(Type.f32).convert_color(ColorFormat.RGB).scale(255.0)
    return prepared.build()


### END SOLUTION
