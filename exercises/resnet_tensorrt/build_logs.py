"""Reads what a session of ONNX Runtime said when it was built, and where its time went."""

### TASK resnet_tensorrt.slow_builds
def read_build(path):
    """Figures of a recording, a gzipped JSON file; see the notebook for their names."""
    raise NotImplementedError("resnet_tensorrt.slow_builds")


def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    raise NotImplementedError("resnet_tensorrt.slow_builds")
