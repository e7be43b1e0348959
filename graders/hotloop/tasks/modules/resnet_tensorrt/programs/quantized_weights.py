"""Match the weights of quantized layers with the layers of the source network.

Rounding moves a weight by at most half a step, and folding a normalization scales an output channel
as a whole. So every channel of a layer has nearly the direction of its source channel.
"""

import numpy as np
from onnx import numpy_helper
from onnx_walk import PASSES_ON, origin, stored

NEAR = 0.99
"""Cosine between a channel and its source; rounding to 8 bits typically leaves 0.9999."""

HALF = 0.55
"""Allowed rounding error in steps. With one scale for a whole layer, small channels lose their
direction, but each of their weights is still its source, rounded.
"""


class Weights:
    """Weights of a graph's layers as [outputs, ...], with the quantization step of each."""

    def __init__(self, graph):
        self.graph = graph
        self.makers = {name: node for node in graph.node for name in node.output}
        self.tensors = stored(graph)

    def of(self, node):
        """Return (values, steps), output channel first; None if they are not in the file."""
        placed = self._placed(node)
        return None if placed is None else self._outputs_first(node, *placed)

    def _placed(self, node):
        """Return (values, steps of the same shape), or None."""
        inputs = [*node.input, "", "", "", "", "", ""]
        if node.op_type in ("QLinearConv", "QGemm", "QLinearMatMul"):
            axis = 0 if node.op_type == "QLinearConv" or _flag(node, "transB") else -1
            return self._steps(*inputs[3:6], axis)
        if node.op_type in ("ConvInteger", "MatMulInteger"):
            return self._steps(inputs[1], "", inputs[3], 0 if node.op_type == "ConvInteger" else -1)
        maker = self.makers.get(inputs[1])
        if maker is None or maker.op_type != "DequantizeLinear":
            return self._steps(inputs[1], "", "", 0)
        return self._steps(*[*maker.input, ""][:3], _flag(maker, "axis", 1))

    def _steps(self, values, scale, zero, axis):
        numbers = self._numbers(values)
        if numbers is None:
            return None
        spread = [1] * numbers.ndim
        spread[axis] = -1
        step, middle = self._numbers(scale), self._numbers(zero)
        step = np.zeros(()) if step is None else _along(step, spread)
        middle = np.zeros(()) if middle is None else _along(middle, spread)
        weights = (numbers - middle) * (step if scale else 1.0)
        return weights, np.broadcast_to(step, numbers.shape)

    def _outputs_first(self, node, values, steps):
        if node.op_type in ("MatMul", "QLinearMatMul", "MatMulInteger") or (
            "Gemm" in node.op_type and not _flag(node, "transB")
        ):
            return values.T, steps.T
        return values, steps

    def _numbers(self, name):
        tensor = self.tensors.get(name) or self.tensors.get(origin(self.graph, name, PASSES_ON[:2]))
        if tensor is None or tensor.data_location == tensor.EXTERNAL:
            return None
        return numpy_helper.to_array(tensor).astype(np.float64)


def unlike(layers, sources):
    """Return the names of the layers whose weights match no source; each source matches one layer.

    layers: name and the result of `Weights.of`. sources: arrays of float64, [outputs, ...].
    """
    left = list(sources)
    names = []
    for name, weights in layers:
        same = None if weights is None else next((s for s in left if _same(*weights, s)), None)
        if same is None:
            names.append(name)
        else:
            left = [source for source in left if source is not same]
    return names


def _same(values, steps, source):
    if values.shape != source.shape:
        return False
    rows, wanted = (each.reshape(len(each), -1) for each in (values, source))
    steps = steps.reshape(rows.shape)
    if not np.isfinite(rows).all():
        return False
    along = (rows * wanted).sum(1)
    size = (wanted**2).sum(1)
    # A normalization's scale may be negative, which flips its channel's sign.
    near = np.abs(along) > NEAR * np.sqrt((rows**2).sum(1) * size)
    return bool((near | _rounded(rows, wanted, steps)).all())


def _rounded(rows, wanted, steps):
    """Whether, for each channel, one scale exists from which rounding gives all of its weights."""
    reach = HALF * steps
    nothing = wanted == 0
    safe = np.where(nothing, 1.0, wanted)
    ends = np.stack([(rows - reach) / safe, (rows + reach) / safe])
    least = np.where(nothing, -np.inf, ends.min(0)).max(1)
    most = np.where(nothing, np.inf, ends.max(0)).min(1)
    return (least <= most) & (~nothing | (np.abs(rows) <= reach)).all(1)


def _along(numbers, spread):
    return numbers.reshape(spread) if numbers.size > 1 else numbers.reshape(())


def _flag(node, name, otherwise=0):
    return next((a.i for a in node.attribute if a.name == name), otherwise)
