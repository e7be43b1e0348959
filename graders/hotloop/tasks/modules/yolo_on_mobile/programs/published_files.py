"""Read a YOLOv5n in an ONNX file. Runs in one of the judge's workers with one such file."""

from math import prod

import onnx

KERNELS = ("Conv", "ConvTranspose")


def facts(path):
    """Return the convolutions, the elements of their weights, inputs and outputs, as plain data."""
    model = onnx.load(path, load_external_data=False)
    sizes = {weight.name: list(weight.dims) for weight in model.graph.initializer}
    convolutions = [node for node in model.graph.node if node.op_type in KERNELS]
    kernels = [sizes.get(node.input[1], []) for node in convolutions]
    first = convolutions[0] if convolutions else None
    attributes = {} if first is None else {a.name: list(a.ints) for a in first.attribute if a.ints}
    return {
        "convolutions": len(convolutions),
        "stem": kernels[0] if kernels else [],
        "strides": attributes.get("strides", []),
        "kernels": sum(prod(shape) for shape in kernels if shape),
        "inputs": [each.name for each in model.graph.input],
        "outputs": [each.name for each in model.graph.output],
        "external": any(weight.external_data for weight in model.graph.initializer),
    }
