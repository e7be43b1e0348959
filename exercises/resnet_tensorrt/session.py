"""Runs the network in ONNX Runtime: the file that it loads, and the options it loads it with."""

### TASK resnet_tensorrt.latency
def prepare(target):
    """Write the trained network to `target`, an ONNX file for float32 [n, 3, 64, 64]."""
    raise NotImplementedError("resnet_tensorrt.latency")


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    raise NotImplementedError("resnet_tensorrt.latency")
