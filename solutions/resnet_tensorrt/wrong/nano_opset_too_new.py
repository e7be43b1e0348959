"""Asks the newer exporter for opset 13, which it answers with opset 18.

fails: jetson_nano.fits
"""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano
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
        dynamo=True,
        external_data=False,
        verbose=False,
        opset_version=13,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
    )


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
