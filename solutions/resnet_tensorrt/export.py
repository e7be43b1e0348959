"""Your exports: the network as ONNX for ONNX Runtime, for a Jetson Nano, and as a TensorRT engine.

A frame is what cv2.VideoCapture.read gives: bytes in BGR order, [height, width, 3].
"""

from pathlib import Path

import resnet
import signs
import torch
from torch import nn

FRAMES, PROBABILITIES = "frames", "probabilities"


### BEGIN SOLUTION resnet_tensorrt.export camera
### STUB # What comes before the network, and what comes after it?
class Camera(nn.Module):
    """The network with what comes before and after it, so that no caller can get that wrong."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(signs.MEAN).view(3, 1, 1))
        self.register_buffer("deviation", torch.tensor(signs.DEVIATION).view(3, 1, 1))

    def forward(self, frames):
        """uint8 [batch, 64, 64, 3] in BGR order to probabilities [batch, 10]."""
        rgb = frames.flip(-1).permute(0, 3, 1, 2)
        # Contiguous: else the pooling is exported as it is for channels_last, by strides.
        scaled = rgb.contiguous().float() / 255
        return self.network((scaled - self.mean) / self.deviation).softmax(1)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.export
### STUB def export(opset, target):
### STUB     """Write the trained network as ONNX in this opset to the path `target`.
### STUB
### STUB     Input `frames`: uint8 [batch, 64, 64, 3], BGR, any batch. Output `probabilities`:
### STUB     float32 [batch, 10]. All in one file.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.export")
def export(opset, target):
    """Write the trained network as ONNX in this opset to the path `target`.

    Input `frames`: uint8 [batch, 64, 64, 3], BGR, any batch. Output `probabilities`: float32
    [batch, 10]. All in one file.
    """
    camera = Camera(resnet.load()).eval()
    # Two frames: a batch of one is taken to mean that there is always one.
    example = torch.zeros(2, signs.SIDE, signs.SIDE, 3, dtype=torch.uint8)
    torch.onnx.export(
        camera,
        (example,),
        target,
        dynamo=True,
        opset_version=opset,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        external_data=False,
        verbose=False,
    )


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.jetson_nano camera
### STUB # As Camera, within the board's table.
class BoardCamera(nn.Module):
    """As Camera, for frames that the host has made float, and with less left to compute.

    The order of the channels and the normalization's scale go into the first convolution's weights.
    The mean stays a subtraction: the convolution pads with zeros after it.
    """

    def __init__(self, network):
        super().__init__()
        self.network = network
        mean = 255 * torch.tensor(signs.MEAN).flip(0)
        deviation = 255 * torch.tensor(signs.DEVIATION).flip(0)
        self.register_buffer("mean", mean.view(3, 1, 1))
        weight = network.conv1.weight.data.flip(1) / deviation.view(3, 1, 1)
        network.conv1.weight = nn.Parameter(weight, requires_grad=False)

    def forward(self, frames):
        """float32 [batch, 64, 64, 3] in BGR order to probabilities [batch, 10]."""
        return self.network(frames.permute(0, 3, 1, 2).contiguous() - self.mean).softmax(1)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.jetson_nano
### STUB def export_for_nano(batch, target):
### STUB     """Write the network for TensorRT 8.2 on a Jetson Nano, as jetson_nano.json wants it.
### STUB
### STUB     Input `frames`: float32 [batch, 64, 64, 3], BGR, 0 to 255, exactly `batch` of them.
### STUB     Output `probabilities`: float32 [batch, 10].
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.jetson_nano")
def export_for_nano(batch, target):
    """Write the network for TensorRT 8.2 on a Jetson Nano, as jetson_nano.json wants it.

    Input `frames`: float32 [batch, 64, 64, 3], BGR, 0 to 255, exactly `batch` of them.
    Output `probabilities`: float32 [batch, 10].
    """
    camera = BoardCamera(resnet.load()).eval()
    torch.onnx.export(
        camera,
        (torch.zeros(batch, signs.SIDE, signs.SIDE, 3),),
        target,
        # The other exporter writes opset 18 or newer, whatever it is asked for.
        dynamo=False,
        opset_version=13,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
    )


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.jetson_nano memory
### STUB def memory_for(path):
### STUB     """Bytes that the ONNX model at `path` needs: {"weights": …, "activations": …}.
### STUB
### STUB     weights: of all initializers. activations: the most that live at one time, when the
### STUB     nodes run in the file's order, an output is there from when its node runs until its
### STUB     last reader has run, and the graph's input and output stay. All shapes are fixed.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.jetson_nano")
def memory_for(path):
    """Bytes that the ONNX model at `path` needs: {"weights": …, "activations": …}.

    weights: of all initializers. activations: the most that live at one time, when the nodes run in
    the file's order, an output is there from when its node runs until its last reader has run, and
    the graph's input and output stay. All shapes are fixed.
    """
    import onnx

    model = onnx.shape_inference.infer_shapes(onnx.load(path), strict_mode=True, data_prop=True)
    graph = model.graph
    weights = {tensor.name: _bytes(tensor.data_type, tensor.dims) for tensor in graph.initializer}
    values = [*graph.input, *graph.value_info, *graph.output]
    size = {value.name: _value_bytes(value) for value in values if value.name not in weights}
    last = {name: at for at, node in enumerate(graph.node) for name in node.input}
    stays = {value.name for value in (*graph.input, *graph.output)} - weights.keys()
    alive = {value.name for value in graph.input} - weights.keys()
    most = sum(size[name] for name in alive)
    for at, node in enumerate(graph.node):
        alive |= {name for name in node.output if name}
        most = max(most, sum(size[name] for name in alive))
        alive = {name for name in alive if name in stays or last.get(name, -1) > at}
    return {"weights": sum(weights.values()), "activations": most}


def _value_bytes(value):
    tensor = value.type.tensor_type
    return _bytes(tensor.elem_type, [dim.dim_value for dim in tensor.shape.dim])


def _bytes(element, dims):
    import math

    import onnx

    return math.prod(dims) * onnx.helper.tensor_dtype_to_np_dtype(element).itemsize


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.engine half
### STUB def in_half(source, target):
### STUB     """Write the ONNX model at `source` to `target` with its arithmetic in float16.
### STUB
### STUB     Names, shapes and types of inputs and outputs stay.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.engine")
def in_half(source, target):
    """Write the ONNX model at `source` to `target` with its arithmetic in float16.

    Names, shapes and types of inputs and outputs stay.
    """
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    half = OnnxModel(convert_float_to_float16(onnx.load(source), keep_io_types=True))
    # The casts of the inputs were put at the end; a valid file has every node after its inputs.
    half.topological_sort()
    onnx.save(half.model, target)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.engine
### STUB def build_engine(source, precision, cache, target):
### STUB     """Build a TensorRT engine from the ONNX model at `source` and write it to `target`.
### STUB
### STUB     precision: "fp32", "fp16" or "int8". cache: the path of a timing cache, which is read
### STUB     if it is there and written afterwards. Batches from 1 to 64, made for 32; at most 1 GiB
### STUB     of workspace. RuntimeError with the parser's messages when the model cannot be read.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.engine")
def build_engine(source, precision, cache, target):
    """Build a TensorRT engine from the ONNX model at `source` and write it to `target`.

    precision: "fp32", "fp16" or "int8". cache: the path of a timing cache, which is read if it is
    there and written afterwards. Batches from 1 to 64, made for 32; at most 1 GiB of workspace.
    RuntimeError with the parser's messages when the model cannot be read.
    """
    import tensorrt

    model = _typed(source, precision)
    logger = tensorrt.Logger(tensorrt.Logger.WARNING)
    builder = tensorrt.Builder(logger)
    network = builder.create_network(_strongly_typed(tensorrt))
    parser = tensorrt.OnnxParser(network, logger)
    if not parser.parse(model):
        errors = [str(parser.get_error(index)) for index in range(parser.num_errors)]
        raise RuntimeError("; ".join(errors))
    config = builder.create_builder_config()
    config.set_memory_pool_limit(tensorrt.MemoryPoolType.WORKSPACE, WORKSPACE_BYTES)
    config.add_optimization_profile(_profile(builder, network))
    timings = config.create_timing_cache(_content(cache))
    config.set_timing_cache(timings, ignore_mismatch=False)
    engine = builder.build_serialized_network(network, config)
    if engine is None:
        raise RuntimeError("no engine: the log says at which layer")
    Path(cache).write_bytes(config.get_timing_cache().serialize())
    Path(target).write_bytes(engine)


def _strongly_typed(tensorrt):
    """TensorRT 10 has to be told; from 11 on it is always so, and the flag may go."""
    flag = getattr(tensorrt.NetworkDefinitionCreationFlag, "STRONGLY_TYPED", None)
    return 0 if flag is None else 1 << int(flag)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.engine types
### STUB # The types that the engine is to compute in stand in the model.
def _typed(source, precision):
    """The model's bytes with the types that the engine is to compute in.

    TensorRT 11 takes them from the model alone: BuilderFlag.FP16 and INT8 are gone.
    """
    import tempfile

    import onnx

    if precision == "fp16":
        with tempfile.TemporaryDirectory() as folder:
            in_half(source, f"{folder}/half.onnx")
            return _content(f"{folder}/half.onnx")
    operators = {node.op_type for node in onnx.load(source).graph.node}
    if precision == "int8" and "QuantizeLinear" not in operators:
        raise ValueError("an int8 engine needs a quantized model: one with QuantizeLinear in it")
    return _content(source)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.engine profile
### STUB # The batches that the engine is made for.
SMALLEST, USUAL, LARGEST = 1, 32, 64
WORKSPACE_BYTES = 1 << 30


def _profile(builder, network):
    profile = builder.create_optimization_profile()
    frames = network.get_input(0)
    shapes = [(batch, *tuple(frames.shape)[1:]) for batch in (SMALLEST, USUAL, LARGEST)]
    profile.set_shape(frames.name, *shapes)
    return profile


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.engine cache
### STUB # The timings of builds before this one.
def _content(path):
    file = Path(path)
    return file.read_bytes() if file.exists() else b""


### END SOLUTION
