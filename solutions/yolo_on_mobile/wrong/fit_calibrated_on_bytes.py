"""Calibrates with 0 to 255, where the network is fed 0 to 1.

fails: fit.sees
"""


### BEGIN SOLUTION yolo_on_mobile.fit weights
class Pictures(CalibrationDataReader):
    """One picture after another, at the side that the network will be fed with."""

    def __init__(self, path, side):
        with np.load(path) as recorded:
            pictures = torch.from_numpy(recorded["pictures"][::STEP]).permute(0, 3, 1, 2).float()
        fed = functional.interpolate(pictures, (side, side), mode="bilinear", antialias=True)
        self.left = iter([{"pictures": each[None].numpy()} for each in fed])

    def get_next(self):
        return next(self.left, None)


def quantized(source, calibration_path, side, target):
    quantize_static(
        source,
        target,
        Pictures(calibration_path, side),
        quant_format=QuantFormat.QDQ,
        # SiLU too, and what adds: floats in between would cost more than the bytes have won.
        op_types_to_quantize=["Conv", "Sigmoid", "Mul", "Add"],
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    model = onnx.load(target)
    sink(model.graph)
    onnx.save(model, target)


def sink(graph):
    """Each weight becomes floats directly before its convolution, and not at the beginning."""
    stored = {tensor.name for tensor in graph.initializer}
    late = {
        n.output[0]: n
        for n in graph.node
        if n.op_type == "DequantizeLinear" and n.input[0] in stored
    }
    nodes = []
    for node in graph.node:
        if node.output[0] in late:
            continue
        nodes += [late.pop(name) for name in node.input if name in late]
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


### END SOLUTION
