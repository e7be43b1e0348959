"""Seconds a call of a baseline, timed in its own process by CUDA events on fresh buffers.

`python in_process.py FILE FUNCTION SHAPE CALLS`: the figure that the judge's windows are held
against. Prints one JSON object.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys

import torch

REPEATS = 12


def main(file: str, name: str, rows: int, columns: int, calls: int) -> None:
    spec = importlib.util.spec_from_file_location("measured", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    inputs = [torch.empty(rows, columns, device="cuda") for _ in range(calls)]
    outputs = [torch.empty_like(x) for x in inputs]
    flush = torch.empty(128 << 20, device="cuda")
    samples = [once(function, inputs, outputs, flush) for _ in range(REPEATS + 3)][3:]
    quartiles = statistics.quantiles(samples, n=4)
    print(json.dumps({"seconds": quartiles[1], "quartiles": [quartiles[0], quartiles[2]]}))


def once(function, inputs, outputs, flush) -> float:
    for x in inputs:
        x.normal_()
    flush.add_(1.0)
    torch.cuda.synchronize()
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for x, out in zip(inputs, outputs, strict=True):
        function(x, out)
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) * 1e-3 / len(inputs)


if __name__ == "__main__":
    rows, columns = map(int, sys.argv[3].split("x"))
    main(sys.argv[1], sys.argv[2], rows, columns, int(sys.argv[4]))
