"""Stores the weights as bytes and computes with floats: each call turns them back first.

fails: fit.fast_cpu
"""


### BEGIN SOLUTION yolo_on_mobile.fit weights
def quantized(source, calibration_path, side, target):
    model = onnx.load(source)
    graph = model.graph
    weights = {n.input[1] for n in graph.node if n.op_type == "Conv"}
    for tensor in [t for t in graph.initializer if t.name in weights]:
        values = onnx.numpy_helper.to_array(tensor)
        scale = np.abs(values).max((1, 2, 3)) / 127
        whole = np.rint(values / scale[:, None, None, None]).astype(np.int8)
        stored = {
            "bytes": whole,
            "scale": scale.astype(np.float32),
            "zero": np.zeros(len(scale), np.int8),
        }
        names = [f"{tensor.name}_{what}" for what in stored]
        for name, array in zip(names, stored.values(), strict=True):
            graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        made = onnx.helper.make_node("DequantizeLinear", names, [tensor.name], axis=0)
        graph.node.insert(0, made)
        graph.initializer.remove(tensor)
    sink(graph)
    onnx.save(model, target)


def sink(graph):
    """Each weight becomes floats directly before its convolution, and not at the beginning."""
    stored = {tensor.name for tensor in graph.initializer}
    late = {
        n.output[0]: n
        for n in graph.node
        if n.op_type == "DequantizeLinear" and n.input[0] in stored
    }
    nodes = []
    for node in graph.node:
        if node.output[0] in late:
            continue
        nodes += [late.pop(name) for name in node.input if name in late]
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


### END SOLUTION
