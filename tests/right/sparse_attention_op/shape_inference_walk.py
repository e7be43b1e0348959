"""Our nodes become Identity for the inference, which gives q's shape to what comes out; then they are put back."""


### BEGIN SOLUTION sparse_attention_op.shape_inference
import copy


def infer(path, target):
    model = onnx.load(path)
    plain = copy.deepcopy(model)
    for node in plain.graph.node:
        if node.domain == DOMAIN and node.op_type == NAME:
            node.op_type, node.domain = "Identity", ""
            del node.input[1:]
            del node.attribute[:]
    known = onnx.shape_inference.infer_shapes(plain, strict_mode=True, data_prop=True)
    del model.graph.value_info[:]
    model.graph.value_info.extend(known.graph.value_info)
    del model.graph.output[:]
    model.graph.output.extend(known.graph.output)
    onnx.save_model(model, target)


def problems(path):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "inferred.onnx")
        infer(path, target)
        graph = onnx.load(target).graph
    shapes = {t.name: tuple(t.dims) for t in graph.initializer}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        dims = value.type.tensor_type.shape.dim
        shapes[value.name] = tuple(d.dim_param or d.dim_value for d in dims)
    wrong = []
    for node in graph.node:
        if node.domain == DOMAIN and node.op_type == NAME:
            q, k, v, threshold = (shapes[name] for name in node.input)
            if not (len(q) == 4 and q == k == v and threshold == q[1:2]):
                wrong.append(node.name)
    return wrong


### END SOLUTION
