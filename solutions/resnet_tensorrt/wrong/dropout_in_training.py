"""Takes out every Dropout, also one that is switched on and one whose mask is read.

fails: remove_noops.identities
"""


### BEGIN SOLUTION resnet_tensorrt.remove_noops
def remove_noops(source, target):
    """Reads a model from `source`, and writes it to `target` without what does nothing."""
    model = onnx.load(source)
    origins, kept = traced(model)
    rewritten = Rewritten(model.graph, origins, kept)
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


def composed(first, second):
    """One permutation for two: axis i of the result is axis second[i] of what `first` has made."""
    axes = tuple(first[i] for i in second) if first and second else first or second
    return () if axes == tuple(range(len(axes))) else axes


def ranks_of(model):
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    ranks = {value.name: len(value.type.tensor_type.shape.dim) for value in values}
    return ranks | {tensor.name: len(tensor.dims) for tensor in graph.initializer}


def switched_off(graph):
    """Initializers that say False, as a Dropout's training_mode may."""
    flags = [t for t in graph.initializer if t.data_type == onnx.TensorProto.BOOL]
    return {t.name for t in flags if not numpy_helper.to_array(t).any()}


def read_anywhere(graph):
    names = {name for node in graph.node for name in node.input if name}
    return names | {value.name for value in graph.output}


class Rewritten:
    """The new nodes. What is wanted is (root, axes): a tensor, and how its axes are permuted."""

    def __init__(self, graph, origins, kept):
        self.nodes = []
        self.origins = origins
        made = {name for node in kept for name in node.output if name}
        outputs = [value.name for value in graph.output]
        self.names = self.names_of(outputs, made)
        for node in kept:
            node.input[:] = [self.supplied(name) for name in node.input]
            node.output[:] = [self.names.get((name, ()), name) for name in node.output]
            self.nodes.append(node)
        for name in outputs:
            there = self.supplied(name)
            if there != name:
                self.nodes.append(helper.make_node("Identity", [there], [name]))

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
