"""GPU MODE's problem format: `generate_input`, `ref_kernel`, `check_implementation`.

Runs in a trusted, sandboxed worker; the judge never imports the files.
Source: https://github.com/gpu-mode/reference-kernels, README.
"""

import importlib
import json
from pathlib import Path

import hotloop_without_gpu
import torch

HERE = Path(__file__).parent
TESTS = "hotloop_tests.json"
hotloop_without_gpu.prepare(HERE)


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MOST_BYTES = (512 if DEVICE == "cuda" else 64) << 20
"""Most bytes of a call's inputs on this machine."""
WRITES = True
"""Whether the called function may write to its inputs."""


def problem(test):
    """Return one of the tests, and a text on its sizes, which is empty."""
    return GpuModeProblem(test), ""


class GpuModeProblem:
    """`reference.py` with the files that it imports, and one of task.yml's tests."""

    def __init__(self, test):
        self.sizes = json.loads((HERE / TESTS).read_text(encoding="utf-8"))[test]
        self.module = importlib.import_module("reference")

    def arguments(self, seed, _kind):
        """Return a test's input, with a seed of the judge instead of the published one."""
        return self.module.generate_input(**{**self.sizes, "seed": seed})

    def fits(self, tensors):
        """Return whether a call is small enough for this machine."""
        bytes_ = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        return bytes_ <= MOST_BYTES

    def setup(self):
        """Return (): the submission takes no constructor arguments."""
        return ()

    def function(self, _seed):
        """Return the function that computes the reference from the result of `arguments`."""
        return self.module.ref_kernel

    def parameters(self, _seed):
        """Return an empty list: there are no parameters."""
        return []

    def mismatch(self, arguments, answer):
        """Return the message of the problem's own check; "" if the answer is right."""
        said = self.module.check_implementation(arguments, answer)
        if isinstance(said, tuple):
            return "" if said[0] else str(said[1]) or "its own check refuses it"
        return str(said or "")
