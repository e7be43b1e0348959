"""Times the units of `work.py` in their own process, with fresh inputs for every call."""

import time

import torch
import work

CALLS = 12


def time_in_process(name: str, rounds: int) -> float:
    """Return the median seconds per call over `rounds` windows of CALLS calls each."""
    function = getattr(work, name)
    shape = (64, 4096)
    inputs = [torch.empty(shape) for _ in range(CALLS)]
    outputs = [torch.empty(shape) for _ in range(CALLS)]
    samples = []
    for _ in range(rounds):
        for x, out in zip(inputs, outputs, strict=True):
            x.uniform_()
            out.fill_(float("nan"))
        started = time.perf_counter()
        for x, out in zip(inputs, outputs, strict=True):
            function(x, out)
        samples.append((time.perf_counter() - started) / CALLS)
    return sorted(samples)[rounds // 2]
