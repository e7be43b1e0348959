"""Goes by the order of the exported model, whose branches come the other way round.

fails: first_departure.correct
"""


### BEGIN SOLUTION resnet_tensorrt.first_departure
def first_departure(reference_path, exported_path, feeds_path):
    """The name of the first tensor that departs in the exported model; None if all agree.

    feeds_path: an .npz file with the inputs, by name. Compared are the tensors that nodes of both
    models make, by name, in the order of the reference's nodes. One departs when its largest error
    exceeds TOLERANCE times the reference's largest absolute value in it.
    """
    reference, exported = onnx.load(reference_path), onnx.load(exported_path)
    feeds = dict(np.load(feeds_path))
    there = set(made_by_nodes(reference))
    both = [name for name in made_by_nodes(exported) if name in there]
    wanted, found = values_of(reference, both, feeds), values_of(exported, both, feeds)
    for name, want, got in zip(both, wanted, found, strict=True):
        if departs(want, got):
            return name
    return None


def made_by_nodes(model):
    return [name for node in model.graph.node for name in node.output if name]


def values_of(model, names, feeds):
    """All of these tensors become outputs of the graph, which runs as it stands."""
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3  # no warnings
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(names, feeds)


def departs(want, got):
    if want.shape != got.shape:
        return True
    error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    # Written so that a NaN departs.
    return not error.max(initial=0) <= TOLERANCE * np.abs(want).max(initial=0)


### END SOLUTION
