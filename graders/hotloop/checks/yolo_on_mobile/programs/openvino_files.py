"""Reads and runs a detector in OpenVINO's IR. Runs in a worker of ours that has one such file."""

import numpy as np
import openvino

LOADED = []


def facts(model, weights):
    """What stands in the file, in plain data."""
    found = openvino.Core().read_model(model=model, weights=weights)
    constants = [op for op in found.get_ordered_ops() if op.get_type_name() == "Constant"]
    elements = {"f16": 0, "f32": 0}
    for op in constants:
        kind = op.get_element_type().get_type_name()
        if kind in elements:
            elements[kind] += int(np.prod(list(op.get_output_shape(0)), dtype=np.int64))
    return {
        "inputs": [_end(each) for each in found.inputs],
        "outputs": [_end(each) for each in found.outputs],
        "elements": elements,
        "operators": sorted({op.get_type_name() for op in found.get_ordered_ops()}),
    }


def load(model, weights):
    """The file to run, in float32: the plugin may choose a shorter type otherwise."""
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    found = core.read_model(model=model, weights=weights)
    LOADED[:] = [core.compile_model(found, "CPU", settings)]


def run(frames, table):
    """frames: uint8 [1, height, width, 3], blue first."""
    (compiled,) = LOADED
    table.numpy()[...] = compiled([frames.numpy()])[compiled.outputs[0]]


def _end(value):
    shape = value.get_partial_shape()
    sizes = [dim.get_length() if dim.is_static else -1 for dim in shape]
    names = sorted(value.get_names())
    return [names[0] if names else "", value.get_element_type().get_type_name(), sizes]
