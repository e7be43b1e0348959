"""Counts every Conv, BatchNormalization and Relu in a row, whoever else reads what lies between.

fails: read_graph.structure
"""


### BEGIN SOLUTION resnet_tensorrt.read_graph chains
def chains(graph, shown):
    """Conv + BatchNormalization + Relu, and the convolutions for which it comes to nothing."""
    consumers = {}
    for node in graph.node:
        for name in node.input:
            consumers.setdefault(name, []).append(node)

    def only_consumer(node):
        readers = consumers.get(node.output[0], [])
        return readers[0] if readers else None

    fusible, blocked = [], {}
    for conv in graph.node:
        if conv.op_type != "Conv":
            continue
        chain, following = [conv], only_consumer(conv)
        for op in ("BatchNormalization", "Relu"):
            if following is not None and following.op_type == op:
                chain.append(following)
                following = only_consumer(following)
        readers = consumers.get(conv.output[0], [])
        if len(chain) > 1:
            fusible.append([node.name for node in chain])
        elif any(node.op_type in {"BatchNormalization", "Relu"} for node in readers):
            blocked[conv.name] = "output" if conv.output[0] in shown else "consumers"
    return fusible, blocked


### END SOLUTION
