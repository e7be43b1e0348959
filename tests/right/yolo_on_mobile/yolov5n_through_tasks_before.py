"""Each converter of the tasks before is reused with a published network in place of the small one."""


### BEGIN SOLUTION yolo_on_mobile.yolov5n
import contextlib
import functools
from pathlib import Path
from tempfile import mkdtemp

import detector
import onnx
import speed
import to_coreml as coreml
import to_litert as litert
import torch

published = functools.partial(detector.load, detector.PUBLISHED)


@contextlib.contextmanager
def published_weights():
    """Who loads the detector meanwhile has YOLOv5n."""
    before, detector.load = detector.load, lambda path=None: published()
    try:
        yield
    finally:
        detector.load = before


def with_published(function):
    @functools.wraps(function)
    def wrapped(height, width, target):
        with published_weights(), torch.inference_mode():
            function(height, width, target)

    return wrapped


to_litert = with_published(litert.to_litert)
to_coreml = with_published(coreml.to_coreml)


def to_onnx(height, width, target):
    """Write YOLOv5n with its decoding to `target`, an .onnx file for one picture."""
    with_published(speed.prepare)(height, width, target)
    onnx.save(onnx.shape_inference.infer_shapes(onnx.load(target)), target)


def to_openvino(height, width, target):
    """The same as OpenVINO's IR: `target` is an .xml file, with its .bin beside it."""
    import openvino

    path = Path(mkdtemp()) / "yolov5n.onnx"
    to_onnx(height, width, str(path))
    model = openvino.convert_model(path, input=[("pictures", [1, 3, height, width])])
    openvino.save_model(model, target, compress_to_fp16=False)


### END SOLUTION
