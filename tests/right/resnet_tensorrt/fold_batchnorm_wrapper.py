"""A graph class with indexes of makers and readers; one pass from the front, new protos by helper."""


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm
def fold_batchnorm(source, target):
    model = onnx.load(source)
    index = Index(model.graph)
    before = set(index.readers)
    for node in list(model.graph.node):
        while node.op_type == "Conv" and (norm := index.foldable(node)) is not None:
            fold(model.graph, node, norm)
            index = Index(model.graph)
    for tensor in list(model.graph.initializer):
        if tensor.name in before and not index.readers[tensor.name]:
            model.graph.initializer.remove(tensor)
    onnx.save_model(model, target)


class Index:
    def __init__(self, graph):
        self.stored = {t.name: t for t in graph.initializer}
        self.inputs = {value.name for value in graph.input}
        self.outputs = {value.name for value in graph.output}
        self.readers = Counter(self.outputs)
        self.norms = {}
        self.walk(graph, top=True)

    def walk(self, graph, top=False):
        for node in graph.node:
            self.readers.update(filter(None, node.input))
            if top and node.op_type == "BatchNormalization":
                self.norms[node.input[0]] = node
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    self.walk(attribute.g)

    def constant(self, name):
        return name in self.stored and name not in self.inputs

    def foldable(self, conv):
        norm = self.norms.get(conv.output[0])
        if norm is None or self.readers[conv.output[0]] != 1:
            return None
        if any(a.name == "training_mode" and a.i == 1 for a in norm.attribute):
            return None
        own = [name for name in conv.input[1:] if name]
        alone = all(self.constant(name) and self.readers[name] == 1 for name in own)
        return norm if alone and all(map(self.constant, norm.input[1:])) else None


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm pair
# The index above decides.
### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.fold_batchnorm numbers
def fold(graph, conv, norm):
    arrays = {t.name: numpy_helper.to_array(t).astype("float64") for t in graph.initializer}
    gamma, beta, mean, variance = map(arrays.get, norm.input[1:5])
    epsilon = next((a.f for a in norm.attribute if a.name == "epsilon"), 1e-5)
    gain = gamma / (variance + epsilon) ** 0.5
    kernel = np.einsum("o...,o->o...", arrays[conv.input[1]], gain)
    bias = arrays[conv.input[2]] if len(conv.input) == 3 and conv.input[2] else np.zeros_like(beta)
    for suffix, array in (("/kernel", kernel), ("/bias", (bias - mean) * gain + beta)):
        graph.initializer.add().CopyFrom(
            numpy_helper.from_array(array.astype(np.float32), norm.name + suffix)
        )
    replaced = helper.make_node(
        "Conv",
        [conv.input[0], norm.name + "/kernel", norm.name + "/bias"],
        [norm.output[0]],
        name=conv.name,
    )
    replaced.attribute.extend(conv.attribute)
    conv.CopyFrom(replaced)
    graph.node.remove(norm)


def attribute(node, name, default):
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


### END SOLUTION
