"""Read and run a detector in LiteRT's format that computes in integers from end to end.

Runs in one of the judge's workers with one such file.
"""

import eager
import numpy as np
import torch
from ai_edge_litert.interpreter import Interpreter

LOADED = []
CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")


def facts(path):
    """Return the file's facts as plain data."""
    interpreter = Interpreter(model_path=path)
    # Before allocate_tensors: afterwards, a delegate node replaces the operators it took.
    operators = interpreter._get_ops_details()
    tensors = {each["index"]: each for each in interpreter.get_tensor_details()}
    return {
        "inputs": [_end(each) for each in interpreter.get_input_details()],
        "outputs": [_end(each) for each in interpreter.get_output_details()],
        "floats": [op["op_name"] for op in operators if _has_floats(op)],
        "convolutions": [_kind(op, tensors) for op in operators if op["op_name"] in CONVOLUTIONS],
    }


def load(path):
    """Load the file to run."""
    interpreter = Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    LOADED[:] = [interpreter]


def run(pictures, table):
    """Run the file on pictures, float32 [n, height, width, 3], one by one; fill the table."""
    (interpreter,) = LOADED
    (end,) = interpreter.get_input_details()
    for place, picture in enumerate(pictures.numpy()):
        interpreter.set_tensor(end["index"], _integers(picture[None], end))
        interpreter.invoke()
        maps = [
            _floats(interpreter.get_tensor(o["index"]), o) for o in interpreter.get_output_details()
        ]
        # Sort the maps by size, which is the order of the strides; converters rename outputs.
        maps.sort(key=lambda m: -m[0, 0].numel())
        table[place].copy_(eager.decoded(maps)[0])


def _kind(operator, tensors):
    """Return a convolution's input dtype, weight dtype, number of weight scales, and channels."""
    fed, weight = (tensors[index] for index in operator["inputs"][:2])
    (out,) = (tensors[index] for index in operator["outputs"])
    scales = len(weight["quantization_parameters"]["scales"])
    return [_dtype(fed["dtype"]), _dtype(weight["dtype"]), scales, int(out["shape"][-1])]


def _has_floats(operator):
    kinds = (*operator["operand_types"], *operator["result_types"])
    return any(_dtype(kind).startswith("float") for kind in kinds)


def _integers(values, end):
    scale, zero = end["quantization"]
    return np.clip(np.rint(values / scale) + zero, -128, 127).astype(np.int8)


def _floats(values, end):
    scale, zero = end["quantization"]
    return torch.from_numpy((values.astype(np.float32) - zero) * np.float32(scale))


def _end(each):
    return [_dtype(each["dtype"]), [int(size) for size in each["shape"]]]


def _dtype(kind):
    return str(np.dtype(kind))
