"""YOLOv5n as published, in files for four runtimes: task 17."""

### BEGIN SOLUTION yolo_on_mobile.yolov5n
### STUB def to_onnx(height, width, target):
### STUB     """Write YOLOv5n with its decoding to `target`, an .onnx file for one picture.
### STUB
### STUB     In: pictures, float32 [1, 3, height, width]. Out: table, float32 [1, boxes, 11].
### STUB     """
### STUB     raise NotImplementedError("yolo_on_mobile.yolov5n")
### STUB
### STUB
### STUB def to_openvino(height, width, target):
### STUB     """The same as OpenVINO's IR: `target` is an .xml file, with its .bin beside it."""
### STUB     raise NotImplementedError("yolo_on_mobile.yolov5n")
### STUB
### STUB
### STUB def to_litert(height, width, target):
### STUB     """The network without decoding for LiteRT: `target` is a .tflite file.
### STUB
### STUB     In: float32 [1, height, width, 3]. Out: the three maps.
### STUB     """
### STUB     raise NotImplementedError("yolo_on_mobile.yolov5n")
### STUB
### STUB
### STUB def to_coreml(height, width, target):
### STUB     """The network without decoding for Core ML: `target` is a zip of an .mlpackage."""
### STUB     raise NotImplementedError("yolo_on_mobile.yolov5n")
import shutil
import tempfile
from pathlib import Path

import detector
import torch
from boxes import decode


class Decoded(torch.nn.Module):
    """The network with its decoding: pictures to a table."""

    def __init__(self):
        super().__init__()
        self.network = detector.load(detector.PUBLISHED)

    def forward(self, pictures):
        return decode(*self.network(pictures), self.network.anchors)


def to_onnx(height, width, target):
    """Write YOLOv5n with its decoding to `target`, an .onnx file for one picture.

    In: pictures, float32 [1, 3, height, width]. Out: table, float32 [1, boxes, 11].
    """
    torch.onnx.export(
        Decoded().eval(),
        (torch.zeros(1, 3, height, width),),
        target,
        input_names=["pictures"],
        output_names=["table"],
        opset_version=18,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


def to_openvino(height, width, target):
    """The same as OpenVINO's IR: `target` is an .xml file, with its .bin beside it."""
    import openvino

    with tempfile.TemporaryDirectory() as folder:
        to_onnx(height, width, f"{folder}/yolov5n.onnx")
        model = openvino.convert_model(f"{folder}/yolov5n.onnx")
    # Halves are the default, and cost more than rounding does: coordinates have hundreds of pixels.
    openvino.save_model(model, target, compress_to_fp16=False)


def to_litert(height, width, target):
    """The network without decoding for LiteRT: `target` is a .tflite file.

    In: float32 [1, height, width, 3]. Out: the three maps.
    """
    import litert_torch

    last = litert_torch.to_channel_last_io(detector.load(detector.PUBLISHED), args=[0])
    litert_torch.convert(last.eval(), (torch.zeros(1, height, width, 3),)).export(target)


def to_coreml(height, width, target):
    """The network without decoding for Core ML: `target` is a zip of an .mlpackage."""
    import coremltools

    picture = torch.zeros(1, 3, height, width)
    network = detector.load(detector.PUBLISHED)
    model = coremltools.convert(
        torch.export.export(network, (picture,)).run_decompositions({}),
        inputs=[
            coremltools.ImageType(
                name="picture",
                shape=tuple(picture.shape),
                scale=1 / 255,
                color_layout=coremltools.colorlayout.RGB,
            )
        ],
        outputs=[coremltools.TensorType(name=name) for name in ("small", "middle", "large")],
        convert_to="mlprogram",
        minimum_deployment_target=coremltools.target.iOS16,
        compute_precision=coremltools.precision.FLOAT16,
        # Where it may run: an app chooses again as it loads the model.
        compute_units=coremltools.ComputeUnit.CPU_AND_NE,
        skip_model_load=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/detector.mlpackage")
        made = shutil.make_archive(f"{folder}/packed", "zip", folder, "detector.mlpackage")
        shutil.copy(made, Path(target))


### END SOLUTION
