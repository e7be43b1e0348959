"""Forgets the bias that the convolution had already.

fails: fold_batchnorm.numbers
"""


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm numbers
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


### END SOLUTION
