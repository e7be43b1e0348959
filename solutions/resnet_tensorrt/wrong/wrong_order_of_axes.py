"""Composes two permutations in the wrong order, which only shows with three axes and more.

fails: remove_noops.transposes
"""


### BEGIN SOLUTION resnet_tensorrt.remove_noops axes
def composed(first, second):
    """One permutation for two: axis i of the result is axis second[i] of what `first` has made."""
    axes = tuple(second[i] for i in first) if first and second else first or second
    return () if axes == tuple(range(len(axes))) else axes


def ranks_of(model):
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    ranks = {value.name: len(value.type.tensor_type.shape.dim) for value in values}
    return ranks | {tensor.name: len(tensor.dims) for tensor in graph.initializer}


### END SOLUTION
