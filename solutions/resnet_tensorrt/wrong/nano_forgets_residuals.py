"""Frees every value after its first reader: the branches of a residual block come for nothing.

fails: jetson_nano.memory
"""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano memory
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
    last = {}
    for at, node in enumerate(graph.node):
        for name in node.input:
            last.setdefault(name, at)
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
