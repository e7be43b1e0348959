"""Writes the values of the attributes into the function, so that those of the node say nothing.

fails: function.attributes
"""


### BEGIN SOLUTION sparse_attention_op.function
def as_function(heads, depth, block, causal, target):
    """Write one node SparseAttention to `target`, and the function behind it."""
    ends = [
        onnx.helper.make_tensor_value_info(
            name, onnx.TensorProto.FLOAT, ["batch", heads, "length", depth]
        )
        for name in (*INPUTS[:3], OUTPUT)
    ]
    threshold = onnx.helper.make_tensor_value_info(INPUTS[3], onnx.TensorProto.FLOAT, [heads])
    node = onnx.helper.make_node(
        NAME, INPUTS, [OUTPUT], domain=DOMAIN, block=block, causal=int(causal)
    )
    function = SparseAttention.to_function_proto()
    values = {"block": block, "causal": int(causal)}
    for inner in function.node:
        for attribute in inner.attribute:
            if attribute.ref_attr_name in values:
                value = values[attribute.ref_attr_name]
                attribute.CopyFrom(onnx.helper.make_attribute(attribute.name, value))
    graph = onnx.helper.make_graph([node], "layer", [*ends[:3], threshold], ends[3:])
    model = onnx.helper.make_model(
        graph,
        functions=[function],
        opset_imports=[onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(DOMAIN, VERSION)],
        ir_version=10,
    )
    onnx.save(model, target)


### END SOLUTION
