"""YOLOv5n as published, in files for four runtimes: task 17."""

### TASK yolo_on_mobile.yolov5n
def to_onnx(height, width, target):
    """Write YOLOv5n with its decoding to `target`, an .onnx file for one picture.

    In: pictures, float32 [1, 3, height, width]. Out: table, float32 [1, boxes, 11].
    """
    raise NotImplementedError("yolo_on_mobile.yolov5n")


def to_openvino(height, width, target):
    """The same as OpenVINO's IR: `target` is an .xml file, with its .bin beside it."""
    raise NotImplementedError("yolo_on_mobile.yolov5n")


def to_litert(height, width, target):
    """The network without decoding for LiteRT: `target` is a .tflite file.

    In: float32 [1, height, width, 3]. Out: the three maps.
    """
    raise NotImplementedError("yolo_on_mobile.yolov5n")


def to_coreml(height, width, target):
    """The network without decoding for Core ML: `target` is a zip of an .mlpackage."""
    raise NotImplementedError("yolo_on_mobile.yolov5n")
