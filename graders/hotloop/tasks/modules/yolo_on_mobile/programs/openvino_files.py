"""Read and run a detector in OpenVINO's IR, in a judge's worker with one such file."""

import numpy as np
import openvino

LOADED = []


def facts(model, weights):
    """Return the file's facts as plain data."""
    network = openvino.Core().read_model(model=model, weights=weights)
    constants = [op for op in network.get_ordered_ops() if op.get_type_name() == "Constant"]
    elements = {"f16": 0, "f32": 0}
    for op in constants:
        kind = op.get_element_type().get_type_name()
        if kind in elements:
            elements[kind] += int(np.prod(list(op.get_output_shape(0)), dtype=np.int64))
    return {
        "inputs": [_end(each) for each in network.inputs],
        "outputs": [_end(each) for each in network.outputs],
        "elements": elements,
        "operators": sorted({op.get_type_name() for op in network.get_ordered_ops()}),
    }


def load(model, weights):
    """Load the file in float32; by default the plugin may choose a narrower type."""
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    network = core.read_model(model=model, weights=weights)
    LOADED[:] = [core.compile_model(network, "CPU", settings)]


def run(frames, table):
    """Run the file. frames: uint8 [1, height, width, 3], BGR."""
    (compiled,) = LOADED
    table.numpy()[...] = compiled([frames.numpy()])[compiled.outputs[0]]


def _end(value):
    shape = value.get_partial_shape()
    sizes = [dim.get_length() if dim.is_static else -1 for dim in shape]
    names = sorted(value.get_names())  # a tensor may have several
    return [names, value.get_element_type().get_type_name(), sizes]
