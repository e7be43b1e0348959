"""The script of task 4, made a function by hand: the attributes have the example's values as defaults."""


### BEGIN SOLUTION sparse_attention_op.function
def as_function(heads, depth, block, causal, target):
    """Write one node SparseAttention to `target`, and the function behind it."""
    body = SparseAttention.to_function_proto()
    for node in body.node:
        for attribute in node.attribute:
            # References stay; they have to say which type they stand for.
            if attribute.ref_attr_name in ("block", "causal"):
                attribute.type = onnx.AttributeProto.INT
    function = onnx.helper.make_function(
        DOMAIN,
        NAME,
        list(body.input),
        list(body.output),
        list(body.node),
        [onnx.helper.make_opsetid("", 18)],
        attribute_protos=[
            onnx.helper.make_attribute("block", block),
            onnx.helper.make_attribute("causal", int(causal)),
        ],
    )
    model = onnx.ModelProto(ir_version=onnx.IR_VERSION_2023_5_5)
    model.opset_import.extend([*function.opset_import, onnx.helper.make_opsetid(DOMAIN, VERSION)])
    model.functions.append(function)
    graph = model.graph
    graph.name = "layer"
    for name in (*INPUTS, OUTPUT):
        shape = [heads] if name == "threshold" else [None, heads, None, depth]
        value = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        (graph.output if name == OUTPUT else graph.input).append(value)
    call = onnx.helper.make_node(NAME, INPUTS, ["raw"], "attention", domain=DOMAIN)
    call.attribute.extend(function.attribute_proto)
    graph.node.extend([call, onnx.helper.make_node("Identity", ["raw"], [OUTPUT])])
    onnx.save(model, target)


### END SOLUTION
