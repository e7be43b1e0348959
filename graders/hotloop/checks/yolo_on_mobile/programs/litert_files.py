"""Reads and runs a detector in LiteRT's format. Runs in a worker of ours that has one such file."""

import eager
import numpy as np
import torch
from ai_edge_litert.interpreter import Interpreter

LOADED = []


def facts(path):
    """What stands in the file, in plain data."""
    found = Interpreter(model_path=path)
    # Before memory is planned: afterwards a delegate stands in the place of what it took.
    operators = sorted({op["op_name"] for op in found._get_ops_details()})
    return {
        "inputs": [_end(each) for each in found.get_input_details()],
        "outputs": [_end(each) for each in found.get_output_details()],
        "operators": operators,
        "bytes_of_weights": sum(
            int(np.prod(each["shape"], dtype=np.int64))
            for each in found.get_tensor_details()
            if each["dtype"] == np.int8
        ),
    }


def load(path):
    """The file to run."""
    found = Interpreter(model_path=path, num_threads=1)
    found.allocate_tensors()
    LOADED[:] = [found]


def run(pictures, table):
    """pictures: float32 [n, height, width, 3], one after another."""
    (found,) = LOADED
    for place, picture in enumerate(pictures.numpy()):
        found.set_tensor(found.get_input_details()[0]["index"], picture[None])
        found.invoke()
        maps = [found.get_tensor(each["index"]) for each in found.get_output_details()]
        # The strides' order is that of the sizes, whatever the converter called them.
        maps = sorted((torch.from_numpy(each) for each in maps), key=lambda m: -m[0, 0].numel())
        table[place].copy_(eager.decoded(maps)[0])


def _end(each):
    return [str(np.dtype(each["dtype"])), [int(size) for size in each["shape"]]]
