"""Forgets the bias that the convolution had already.

fails: fold_batchnorm.numbers
"""


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm
def fold_batchnorm(source, target):
    """Reads a model from `source`, and writes it to `target` with normalizations folded."""
    model = onnx.load(source)
    before = read_names(model.graph)
    while (pair := foldable_pair(model.graph)) is not None:
        fold(model.graph, *pair)
    remove_unread(model.graph, before)
    onnx.save(model, target)


def foldable_pair(graph):
    """A Conv and its BatchNormalization, or None when there is none (left) to fold."""
    constant = {tensor.name for tensor in graph.initializer}
    constant -= {value.name for value in graph.input}  # the caller may put in others
    uses = Counter(name for node in graph.node for name in node.input)
    uses.update(value.name for value in graph.output)
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


def fold(graph, conv, norm):
    """scale * (conv + bias - mean) / sqrt(variance + epsilon) + shift, as a convolution."""
    stored = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
    scale, shift, mean, variance = (stored[name] for name in norm.input[1:])
    factor = scale / np.sqrt(variance + attribute(norm, "epsilon", 1e-5))
    weight = stored[conv.input[1]]
    folded = {
        f"{norm.output[0]}_weight": weight * factor[:, None, None, None],
        f"{norm.output[0]}_bias": shift - mean * factor,
    }
    for name, values in folded.items():
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), name))
    conv.input[:] = [conv.input[0], *folded]
    conv.output[0] = norm.output[0]
    graph.node.remove(norm)


def attribute(node, name, default):
    found = [a for a in node.attribute if a.name == name]
    return helper.get_attribute_value(found[0]) if found else default


def read_names(graph):
    names = {name for node in graph.node for name in node.input}
    return names | {value.name for value in graph.output}


def remove_unread(graph, before):
    """Initializers that somebody has read before, and nobody reads now."""
    unread = before - read_names(graph)
    kept = [tensor for tensor in graph.initializer if tensor.name not in unread]
    del graph.initializer[:]
    graph.initializer.extend(kept)


### END SOLUTION
