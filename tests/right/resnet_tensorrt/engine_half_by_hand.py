"""float16 without a converter: every float32 initializer and attribute, and a Cast at each end."""


### BEGIN SOLUTION resnet_tensorrt.engine half
def in_half(source, target):
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(source)
    graph = model.graph
    for number, tensor in enumerate(graph.initializer):
        if tensor.data_type == TensorProto.FLOAT:
            half = numpy_helper.to_array(tensor).astype(np.float16)
            graph.initializer[number].CopyFrom(numpy_helper.from_array(half, tensor.name))
    first, last, names = [], [], {}
    for value in graph.input:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            names[value.name] = f"{value.name}/half"
            first.append(helper.make_node("Cast", [value.name], [names[value.name]], to=TensorProto.FLOAT16))
    for value in graph.output:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            names[value.name] = f"{value.name}/half"
            last.append(helper.make_node("Cast", [names[value.name]], [value.name], to=TensorProto.FLOAT))
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for attribute in node.attribute:
            if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
            if attribute.name == "value" and attribute.t.data_type == TensorProto.FLOAT:
                half = numpy_helper.to_array(attribute.t).astype(np.float16)
                attribute.t.CopyFrom(numpy_helper.from_array(half))
    nodes = [*first, *graph.node, *last]
    graph.ClearField("node")
    graph.ClearField("value_info")
    graph.node.extend(nodes)
    onnx.save(model, target)


### END SOLUTION
