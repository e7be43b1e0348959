"""Folds a normalization that takes its statistics from the batch.

fails: fold_batchnorm.structure
"""


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm pair
def foldable_pair(graph):
    """A Conv and its BatchNormalization, or None when there is none (left) to fold."""
    constant = {tensor.name for tensor in graph.initializer}
    constant -= {value.name for value in graph.input}  # the caller may put in others
    uses = Counter(name for node in graph.node for name in node.input)
    uses.update(value.name for value in graph.output)
    convs = {node.output[0]: node for node in graph.node if node.op_type == "Conv"}
    for norm in graph.node:
        conv = convs.get(norm.input[0]) if norm.op_type == "BatchNormalization" else None
        if conv is None:
            continue
        own = [name for name in conv.input[1:] if name]
        unshared = all(uses[name] == 1 for name in (conv.output[0], *own))
        if unshared and constant.issuperset([*own, *norm.input[1:]]):
            return conv, norm
    return None


### END SOLUTION
