"""The detector tuned for speed: a file for ONNX Runtime with its options, and an engine."""

### BEGIN SOLUTION yolo_on_mobile.speed
### STUB def prepare(height, width, target):
### STUB     """Write the detector for pictures of this size to `target`, as ONNX."""
### STUB     raise NotImplementedError("yolo_on_mobile.speed")
### STUB
### STUB
### STUB def session_options(threads):
### STUB     """A dict of options for a session that is given so many threads."""
### STUB     raise NotImplementedError("yolo_on_mobile.speed")
import warnings

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


def prepare(height, width, target):
    """Write the detector for pictures of this size to `target`, as ONNX."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        # In evaluation mode, so that normalization goes into the convolution before it. One size:
        # grids and shapes are constants then, which the session folds.
        torch.onnx.export(
            Decoded().eval(),
            (torch.zeros(1, 3, height, width),),
            target,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
        )


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    return {
        "graph_optimization_level": "all",
        "intra_op_num_threads": threads,
        "intra_op_spinning": False,
    }


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.speed engine
### STUB def build_engine(source, least, usual, most, target):
### STUB     """Build a TensorRT engine from the ONNX file `source` for batches of these lengths."""
### STUB     raise NotImplementedError("yolo_on_mobile.speed")
def build_engine(source, least, usual, most, target):
    """Build a TensorRT engine from the ONNX file `source` for batches of these lengths."""
    from pathlib import Path

    import tensorrt

    logger = tensorrt.Logger(tensorrt.Logger.WARNING)
    builder = tensorrt.Builder(logger)
    # TensorRT 10 has to be told that types are the model's; from 11 on they always are.
    flag = getattr(tensorrt.NetworkDefinitionCreationFlag, "STRONGLY_TYPED", None)
    network = builder.create_network(0 if flag is None else 1 << int(flag))
    parser = tensorrt.OnnxParser(network, logger)
    if not parser.parse(Path(source).read_bytes()):
        errors = [str(parser.get_error(index)) for index in range(parser.num_errors)]
        raise RuntimeError("; ".join(errors))
    config = builder.create_builder_config()
    config.set_memory_pool_limit(tensorrt.MemoryPoolType.WORKSPACE, 1 << 30)
    profile = builder.create_optimization_profile()
    pictures = network.get_input(0)
    rest = tuple(pictures.shape)[1:]
    profile.set_shape(pictures.name, (least, *rest), (usual, *rest), (most, *rest))
    config.add_optimization_profile(profile)
    engine = builder.build_serialized_network(network, config)
    if engine is None:
        raise RuntimeError("no engine: the log says at which layer")
    Path(target).write_bytes(engine)


### END SOLUTION
