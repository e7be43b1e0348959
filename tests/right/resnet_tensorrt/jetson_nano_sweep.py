"""Memory by a sweep over sorted events; the export with a functional preprocessing and opset 11."""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano camera
class BoardCamera(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.body = network

    def forward(self, frames):
        blue, green, red = (frames[..., n : n + 1] for n in range(3))
        picture = torch.cat((red, green, blue), -1).permute(0, 3, 1, 2).contiguous()
        mean = torch.tensor(signs.MEAN).reshape(1, 3, 1, 1)
        deviation = torch.tensor(signs.DEVIATION).reshape(1, 3, 1, 1)
        return torch.softmax(self.body((picture * (1 / 255) - mean) / deviation), -1)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.jetson_nano memory
def memory_for(path):
    import numpy as np
    import onnx
    from onnx import numpy_helper

    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    graph = model.graph
    weights = {t.name: numpy_helper.to_array(t).nbytes for t in graph.initializer}
    sizes = {}
    for value in list(graph.input) + list(graph.value_info) + list(graph.output):
        tensor = value.type.tensor_type
        width = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)).itemsize
        sizes[value.name] = width * np.prod([d.dim_value for d in tensor.shape.dim], dtype=int)
    end = len(graph.node)
    spans = {v.name: [-1, end] for v in graph.input if v.name not in weights}
    for at, node in enumerate(graph.node):
        for name in node.input:
            if name in spans:
                spans[name][1] = max(spans[name][1], at)
        spans |= {name: [at, at] for name in node.output if name}
    for value in graph.output:
        spans[value.name][1] = end
    alive = [sum(sizes[n] for n, (a, b) in spans.items() if a <= t <= b) for t in range(-1, end)]
    return {"weights": sum(weights.values()), "activations": max(alive), "steps": end}


### END SOLUTION
