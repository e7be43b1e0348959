"""The file is put together by hand from protocol buffers, without the exporter."""


### BEGIN SOLUTION sparse_attention_op.node
def as_node(heads, depth, block, causal, target):
    """Write Layer(block, causal) to `target` as one node SparseAttention, and no more."""
    model = onnx.ModelProto(ir_version=8, producer_name="by hand")
    for domain, version in (("", 21), (DOMAIN, VERSION)):
        model.opset_import.add(domain=domain, version=version)
    model.graph.name = "one_node"
    node = model.graph.node.add(op_type=NAME, domain=DOMAIN, name="attention")
    node.input.extend(INPUTS)
    node.output.append(OUTPUT)
    for name, value in (("causal", 1 if causal else 0), ("block", block)):
        node.attribute.add(name=name, type=onnx.AttributeProto.INT, i=value)

    def describe(value, name, sizes):
        value.name = name
        tensor = value.type.tensor_type
        tensor.elem_type = onnx.TensorProto.FLOAT
        for size in sizes:
            free = isinstance(size, str)
            tensor.shape.dim.add(**{"dim_param" if free else "dim_value": size})

    for name in INPUTS[:3]:
        describe(model.graph.input.add(), name, ("N", heads, "L", depth))
    describe(model.graph.input.add(), INPUTS[3], (heads,))
    describe(model.graph.output.add(), OUTPUT, ("N", heads, "L", depth))
    with open(target, "wb") as file:
        file.write(model.SerializeToString())


### END SOLUTION
