"""Takes out every Dropout, also one that is switched on and one whose mask is read.

fails: remove_noops.identities
"""


### BEGIN SOLUTION resnet_tensorrt.remove_noops nothing
def step_of(node, ranks, off, readers):
    """The axes that the node permutes, () if it does nothing, None if it computes something."""
    if node.op_type == "Identity":
        return ()
    if node.op_type == "Dropout":
        return ()
    if node.op_type == "Transpose":
        given = [tuple(a.ints) for a in node.attribute if a.name == "perm"]
        axes = given[0] if given else tuple(reversed(range(ranks[node.input[0]])))
        return composed((), axes)
    return None


def switched_off(graph):
    """Initializers that say False, as a Dropout's training_mode may."""
    flags = [t for t in graph.initializer if t.data_type == onnx.TensorProto.BOOL]
    return {t.name for t in flags if not numpy_helper.to_array(t).any()}


def read_anywhere(graph):
    names = {name for node in graph.node for name in node.input if name}
    return names | {value.name for value in graph.output}


### END SOLUTION
