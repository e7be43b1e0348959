"""Read and run a detector in LiteRT's format, in a judge's worker with one such file."""

import eager
import numpy as np
import torch
from ai_edge_litert.interpreter import Interpreter

LOADED = []


def facts(path):
    """Return the file's facts as plain data."""
    interpreter = Interpreter(model_path=path)
    # Before allocate_tensors: afterwards, a delegate node replaces the operators it took.
    operators = sorted({op["op_name"] for op in interpreter._get_ops_details()})
    return {
        "inputs": [_end(each) for each in interpreter.get_input_details()],
        "outputs": [_end(each) for each in interpreter.get_output_details()],
        "operators": operators,
        "bytes_of_weights": sum(
            int(np.prod(each["shape"], dtype=np.int64))
            for each in interpreter.get_tensor_details()
            if each["dtype"] == np.int8
        ),
    }


def load(path):
    """Load the file to run."""
    interpreter = Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    LOADED[:] = [interpreter]


def run(pictures, table):
    """Run the file on pictures, float32 [n, height, width, 3], one by one; fill the table."""
    (interpreter,) = LOADED
    for place, picture in enumerate(pictures.numpy()):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], picture[None])
        interpreter.invoke()
        maps = [interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()]
        # Sort the maps by size, which is the order of the strides; converters rename outputs.
        maps = sorted((torch.from_numpy(each) for each in maps), key=lambda m: -m[0, 0].numel())
        table[place].copy_(eager.decoded(maps)[0])


def _end(each):
    return [str(np.dtype(each["dtype"])), [int(size) for size in each["shape"]]]
