"""Leaves the file as it is, in the belief that the builder has a flag for float16.

fails: engine.half
"""


### BEGIN SOLUTION resnet_tensorrt.engine half
def in_half(source, target):
    """Write the ONNX model at `source` to `target` with its arithmetic in float16.

    Names, shapes and types of inputs and outputs stay.
    """
    Path(target).write_bytes(Path(source).read_bytes())


### END SOLUTION
