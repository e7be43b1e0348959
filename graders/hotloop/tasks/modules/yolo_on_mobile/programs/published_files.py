"""Read a YOLOv5n in an ONNX file. Runs in one of the judge's workers with one such file."""

import onnx

KERNELS = ("Conv", "ConvTranspose")


def facts(path):
    """Return the convolutions, the elements of their weights, inputs and outputs, as plain data."""
    model = onnx.load(path, load_external_data=False)
    sizes = {weight.name: list(weight.dims) for weight in model.graph.initializer}
    convolutions = [node for node in model.graph.node if node.op_type in KERNELS]
    first = convolutions[0] if convolutions else None
    given = {} if first is None else {a.name: list(a.ints) for a in first.attribute if a.ints}
    return {
        "convolutions": len(convolutions),
        "stem": [] if first is None else sizes.get(first.input[1], []),
        "strides": given.get("strides", []),
        "kernels": sum(_count(sizes.get(node.input[1], [])) for node in convolutions),
        "inputs": [each.name for each in model.graph.input],
        "outputs": [each.name for each in model.graph.output],
        "external": any(weight.external_data for weight in model.graph.initializer),
    }


def _count(dims):
    total = 1 if dims else 0
    for size in dims:
        total *= size
    return total
