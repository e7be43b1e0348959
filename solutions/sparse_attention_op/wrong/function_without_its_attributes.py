"""Makes the node without attributes, as the function was tried without them.

fails: function.whole
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
    node = onnx.helper.make_node(NAME, INPUTS, [OUTPUT], domain=DOMAIN)
    graph = onnx.helper.make_graph([node], "layer", [*ends[:3], threshold], ends[3:])
    model = onnx.helper.make_model(
        graph,
        functions=[SparseAttention.to_function_proto()],
        opset_imports=[onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(DOMAIN, VERSION)],
        ir_version=10,
    )
    onnx.save(model, target)


### END SOLUTION
