"""Two rewrites of ONNX graphs: normalizations into convolutions, and what does nothing out.

`python rewrites.py MODEL TARGET` does both.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm
### STUB def fold_batchnorm(source, target):
### STUB     """Reads a model from `source`, and writes it to `target` with normalizations folded.
### STUB
### STUB     The Conv gets a new weight and bias, and makes the tensor that the BatchNormalization
### STUB     made; that node, and the initializers that are no longer read, are gone. The notebook
### STUB     says when this is allowed.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.fold_batchnorm")
def fold_batchnorm(source, target):
    """Reads a model from `source`, and writes it to `target` with normalizations folded."""
    model = onnx.load(source)
    before = read_names(model.graph)
    while (pair := foldable_pair(model.graph)) is not None:
        fold(model.graph, *pair)
    remove_unread(model.graph, before)
    onnx.save(model, target)


def read_names(graph):
    """All that is read, also in branches and loops, and by those who want the outputs."""
    names = [name for node in nodes_within(graph) for name in node.input if name]
    return names + [value.name for value in graph.output]


def nodes_within(graph):
    """The nodes, and those in the graphs that nodes have as attributes: branches and loops."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from nodes_within(inner)


def remove_unread(graph, before):
    """Initializers that somebody has read before, and nobody reads now."""
    unread = set(before) - set(read_names(graph))
    kept = [tensor for tensor in graph.initializer if tensor.name not in unread]
    del graph.initializer[:]
    graph.initializer.extend(kept)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm pair
### STUB # Which Conv and BatchNormalization may become one?
def foldable_pair(graph):
    """A Conv and its BatchNormalization, or None when there is none (left) to fold."""
    constant = {tensor.name for tensor in graph.initializer}
    constant -= {value.name for value in graph.input}  # the caller may put in others
    uses = Counter(read_names(graph))
    convs = {node.output[0]: node for node in graph.node if node.op_type == "Conv"}
    for norm in graph.node:
        conv = convs.get(norm.input[0]) if norm.op_type == "BatchNormalization" else None
        if conv is None or attribute(norm, "training_mode", 0):
            continue
        own = [name for name in conv.input[1:] if name]
        unshared = all(uses[name] == 1 for name in (conv.output[0], *own))
        if unshared and constant.issuperset([*own, *norm.input[1:]]):
            return conv, norm
    return None


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm numbers
### STUB # The new weight and bias.
def fold(graph, conv, norm):
    """scale * (conv + bias - mean) / sqrt(variance + epsilon) + shift, as a convolution."""
    stored = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
    scale, shift, mean, variance = (stored[name] for name in norm.input[1:])
    factor = scale / np.sqrt(variance + attribute(norm, "epsilon", 1e-5))
    weight = stored[conv.input[1]]
    bias = stored[conv.input[2]] if len(conv.input) > 2 and conv.input[2] else 0.0
    folded = {
        f"{norm.output[0]}_weight": weight * factor[:, None, None, None],
        f"{norm.output[0]}_bias": shift + (bias - mean) * factor,
    }
    for name, values in folded.items():
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), name))
    conv.input[:] = [conv.input[0], *folded]
    conv.output[0] = norm.output[0]
    graph.node.remove(norm)


def attribute(node, name, default):
    found = [a for a in node.attribute if a.name == name]
    return helper.get_attribute_value(found[0]) if found else default


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops
### STUB def remove_noops(source, target):
### STUB     """Reads a model from `source`, and writes it to `target` without what does nothing.
### STUB
### STUB     No Identity and no Dropout that only pass a tensor on, one Transpose where there were
### STUB     several, and none where they cancel. Names, types and order of the graph's inputs and
### STUB     outputs stay, and so do all other nodes.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.remove_noops")
def remove_noops(source, target):
    """Reads a model from `source`, and writes it to `target` without what does nothing."""
    model = onnx.load(source)
    origins, kept = traced(model)
    rewritten = Rewritten(model.graph, origins, kept)
    make_outputs(model.graph, rewritten)
    del model.graph.node[:]
    model.graph.node.extend(rewritten.nodes)
    onnx.save(model, target)


def traced(model):
    """Whose axes, and how permuted, each tensor is (() for not at all); and the other nodes."""
    ranks, off = ranks_of(model), switched_off(model.graph)
    readers = read_anywhere(model.graph)
    origins, kept = {}, []
    for node in model.graph.node:
        step = step_of(node, ranks, off, readers)
        if step is None:
            kept.append(node)
            continue
        root, axes = origins.get(node.input[0], (node.input[0], ()))
        origins[node.output[0]] = root, composed(axes, step)
    return origins, kept


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops nothing
### STUB # Which nodes only pass a tensor on, and which of them permute its axes?
def step_of(node, ranks, off, readers):
    """The axes that the node permutes, () if it does nothing, None if it computes something."""
    if node.op_type == "Identity":
        return ()
    if node.op_type == "Dropout":
        drops = len(node.input) > 2 and node.input[2] and node.input[2] not in off
        return None if drops or readers.intersection(node.output[1:]) else ()
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
    names = {name for node in all_nodes(graph) for name in node.input if name}
    return names | {value.name for value in graph.output}


def all_nodes(graph):
    """The nodes, and those in branches, which may read tensors of the graph around them."""
    for node in graph.node:
        yield node
        for branch in branches(node):
            yield from all_nodes(branch)


def branches(node):
    return [attribute.g for attribute in node.attribute if attribute.HasField("g")]


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops axes
### STUB # Which permutation do two of them give, one after the other?
def composed(first, second):
    """One permutation for two: axis i of the result is axis second[i] of what `first` has made."""
    axes = tuple(first[i] for i in second) if first and second else first or second
    return () if axes == tuple(range(len(axes))) else axes


def ranks_of(model):
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    ranks = {value.name: len(value.type.tensor_type.shape.dim) for value in values}
    return ranks | {tensor.name: len(tensor.dims) for tensor in graph.initializer}


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops nodes
### STUB # The new nodes: which node makes each tensor that is needed, and under which name?
class Rewritten:
    """The new nodes. What is wanted is (root, axes): a tensor, and how its axes are permuted."""

    def __init__(self, graph, origins, kept):
        self.nodes = []
        self.origins = origins
        made = {name for node in kept for name in node.output if name}
        outputs = [value.name for value in graph.output]
        self.names = self.names_of(outputs, made)
        for node in kept:
            inside = (inner for branch in branches(node) for inner in all_nodes(branch))
            for reader in (node, *inside):
                reader.input[:] = [self.supplied(name) for name in reader.input]
            node.output[:] = [self.names.get((name, ()), name) for name in node.output]
            self.nodes.append(node)

    def names_of(self, outputs, made):
        """What is wanted, and how it is called: as an output if it is one, else as it first was.

        An output that a kept node makes has its name already; others may give theirs to a node
        that is kept, or to a Transpose, if no other output has done so.
        """
        names = {}
        for name in sorted(outputs, key=lambda name: name not in made):
            root, axes = self.wanted(name)
            if axes or root in made:
                names.setdefault((root, axes), name)
        for name, (root, axes) in self.origins.items():
            if axes:
                names.setdefault((root, axes), name)
        return names

    def wanted(self, name):
        return self.origins.get(name, (name, ()))

    def supplied(self, name):
        """By what name it is to be read now; the first reader has the Transpose made."""
        root, axes = self.wanted(name)
        source = self.names.get((root, ()), root)
        if not axes:
            return source
        permuted = self.names[root, axes]
        if not any(permuted in node.output for node in self.nodes):
            self.nodes.append(helper.make_node("Transpose", [source], [permuted], perm=axes))
        return permuted


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops outputs
### STUB # What has to be there because it is an output of the graph?
def make_outputs(graph, rewritten):
    """Behind what is kept; one that has another name now gets an Identity."""
    for value in graph.output:
        there = rewritten.supplied(value.name)
        if there != value.name:
            rewritten.nodes.append(helper.make_node("Identity", [there], [value.name]))


### END SOLUTION

if __name__ == "__main__":
    source_path, target_path = (Path(argument) for argument in sys.argv[1:3])
    fold_batchnorm(source_path, target_path)
    remove_noops(target_path, target_path)
