"""A graph of networkx from nodes to nodes; tensors alive as intervals, summed by differences."""


### BEGIN SOLUTION resnet_tensorrt.read_graph
import networkx as nx


def read_graph(path, batch):
    model = onnx.load(path)
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.WhichOneof("value") == "dim_param":
                dim.dim_value = batch
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    model.graph.ClearField("value_info")
    graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    stored = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    sizes = {name: (array.shape, array.dtype.itemsize) for name, array in stored.items()}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        tensor = value.type.tensor_type
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        sizes[value.name] = tuple(d.dim_value for d in tensor.shape.dim), dtype.itemsize
    read = [name for node in graph.node for name in node.input if name]
    outputs = [value.name for value in graph.output]
    kept = {name for name in stored if name in read}
    fusible, blocked = chains(graph, outputs)
    return {
        "fusible": fusible,
        "blocked": blocked,
        "foldable": foldable(graph, stored),
        "unused": [name for name in stored if name not in read and name not in outputs],
        "parameter_bytes": np.sum([stored[name].nbytes for name in kept], dtype=np.int64),
        "macs": np.sum([multiplications(node, sizes) for node in graph.node], dtype=np.int64),
        "peak_bytes": peak_bytes(graph, stored, outputs, sizes),
    }


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph chains
def chains(graph, outputs):
    flow = nx.MultiDiGraph()
    makers = {name: node for node in graph.node for name in node.output if name}
    kinds = {node.name: node.op_type for node in graph.node}
    flow.add_nodes_from(kinds)
    for node in graph.node:
        flow.add_edges_from((makers[n].name, node.name) for n in node.input if n in makers)
    shown = {makers[name].name for name in outputs if name in makers}

    def follow(name, wanted):
        readers = [reader for _, reader in flow.out_edges(name)]
        if name in shown or len(readers) != 1 or kinds[readers[0]] not in wanted:
            return [name]
        later = {"BatchNormalization": ["Relu"], "Relu": []}[kinds[readers[0]]]
        return [name, *follow(readers[0], later)]

    convolutions = [name for name, kind in kinds.items() if kind == "Conv"]
    found = {name: follow(name, ["BatchNormalization", "Relu"]) for name in convolutions}
    blocked = {
        name: "output" if name in shown else "consumers"
        for name, chain in found.items()
        if len(chain) == 1
        and {kinds[reader] for reader in flow.successors(name)} & {"BatchNormalization", "Relu"}
    }
    return [tuple(chain) for chain in found.values() if len(chain) > 1], blocked


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph memory
def peak_bytes(graph, stored, outputs, sizes):
    steps = len(graph.node)
    change = np.zeros(steps + 2, np.int64)
    born = {value.name: 0 for value in graph.input if value.name not in stored}
    born.update((n, at) for at, node in enumerate(graph.node) for n in node.output if n)
    dies = dict.fromkeys(born, -1) | {n: at for n, at in born.items()}
    for at, node in enumerate(graph.node):
        dies.update((name, at) for name in node.input if name in born)
    dies.update((name, steps - 1) for name in outputs if name in born)
    for name, at in born.items():
        shape, width = sizes[name]
        change[at] += np.prod(shape, dtype=np.int64) * width
        change[dies[name] + 1] -= np.prod(shape, dtype=np.int64) * width
    return change.cumsum()[:steps].max()


### END SOLUTION
