"""Every tensor gets a name for what it is (root and axes); the graph is then written again from the back."""


### BEGIN SOLUTION resnet_tensorrt.remove_noops
def remove_noops(source, target):
    model = onnx.load(source)
    graph = model.graph
    ranks = {}
    inferred = onnx.shape_inference.infer_shapes(model)
    for value in (*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output):
        ranks[value.name] = len(value.type.tensor_type.shape.dim)
    wanted = everything_read(graph)
    false = {
        t.name
        for t in graph.initializer
        if t.data_type == onnx.TensorProto.BOOL and not numpy_helper.to_array(t).any()
    }
    meaning, computing = {}, []
    for node in graph.node:
        if passes_on(node, false, wanted):
            root, axes = meaning.get(node.input[0], (node.input[0], None))
            axes = axes if axes is not None else tuple(range(ranks[node.input[0]]))
            if node.op_type == "Transpose":
                given = [a.ints for a in node.attribute if a.name == "perm"]
                order = list(given[0]) if given else range(len(axes))[::-1]
                axes = tuple(axes[o] for o in order)
            plain = axes == tuple(range(len(axes)))
            meaning[node.output[0]] = (root, None if plain else axes)
        else:
            computing.append(node)
    write(graph, meaning, computing)
    onnx.save(model, target)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops nothing
def everything_read(graph):
    names = [value.name for value in graph.output]
    for node in graph.node:
        names += node.input
        for attribute in node.attribute:
            names += everything_read(attribute.g)
    return set(names) - {""}


def passes_on(node, false, wanted):
    match node.op_type:
        case "Identity" | "Transpose":
            return True
        case "Dropout":
            mode = node.input[2] if len(node.input) > 2 else ""
            masks = set(node.output[1:]) & wanted
            return not masks and (mode == "" or mode in false)
    return False


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops axes
# Axes are composed above.
### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops nodes
def write(graph, meaning, computing):
    outputs = [value.name for value in graph.output]
    made = {name for node in computing for name in node.output if name}
    final = {}
    for name in outputs:
        if name in made:
            final[name, None] = name
    for name in outputs:
        root, axes = meaning.get(name, (name, None))
        if axes is not None or root in made:
            final.setdefault((root, axes), name)
    nodes, transposed = [], set()

    def called(root, axes):
        if axes is None:
            return final.get((root, None), root)
        name = final.setdefault((root, axes), f"{root}_{'_'.join(map(str, axes))}")
        if (root, axes) not in transposed:
            transposed.add((root, axes))
            source = called(root, None)
            nodes.append(helper.make_node("Transpose", [source], [name], name=name, perm=axes))
        return name

    def rename(node):
        node.input[:] = [called(*meaning.get(name, (name, None))) if name else "" for name in node.input]
        for attribute in node.attribute:
            for inner in attribute.g.node:
                rename(inner)

    for node in computing:
        rename(node)
        node.output[:] = [called(name, None) if name else "" for name in node.output]
        nodes.append(node)
    for name in outputs:
        now = called(*meaning.get(name, (name, None)))
        if now != name:
            nodes.append(helper.make_node("Identity", [now], [name], name=name))
    graph.ClearField("node")
    graph.node.extend(nodes)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.remove_noops outputs
# Outputs are written above.
### END SOLUTION
