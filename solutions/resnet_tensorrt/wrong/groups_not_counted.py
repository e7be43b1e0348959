"""Multiplies by all input channels, also in a convolution with groups.

fails: read_graph.costs
"""


### BEGIN SOLUTION resnet_tensorrt.read_graph macs
def multiplications(node, tensors):
    """Each element of the result is a sum of products: elements times the length of that sum."""
    if node.op_type == "Conv":
        weight, _ = tensors[node.input[1]]
        length = np.prod([tensors[node.input[0]][0][1], *weight[2:]])
    elif node.op_type in {"MatMul", "Gemm"}:
        transposed = any(a.name == "transA" and a.i for a in node.attribute)
        length = tensors[node.input[0]][0][-2 if transposed else -1]
    else:
        return 0
    shape, _ = tensors[node.output[0]]
    return int(np.prod(shape) * length)


### END SOLUTION
