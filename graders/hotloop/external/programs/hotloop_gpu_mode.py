"""GPU MODE's form of a problem: `generate_input`, `ref_kernel`, `check_implementation`.

Runs in a confined worker of ours; the judge never imports the files.
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
"""Of the inputs of a call that is judged here."""
WRITES = True
"""Whether what is called may write to its inputs."""


def problem(test):
    """One of the tests, and what is said of its sizes."""
    return Problem(test), ""


class Problem:
    """`reference.py` with the files that it imports, and one of task.yml's tests."""

    def __init__(self, test):
        self.sizes = json.loads((HERE / TESTS).read_text(encoding="utf-8"))[test]
        self.module = importlib.import_module("reference")

    def arguments(self, seed, _kind):
        """A test's input, with a seed of the judge's in place of the published one."""
        return self.module.generate_input(**{**self.sizes, "seed": seed})

    def fits(self, tensors):
        """Whether a call is small enough for this machine."""
        bytes_ = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        return bytes_ <= MOST_BYTES

    def setup(self):
        """Nothing is made before the call."""
        return ()

    def reference(self, arguments, seed, _double):
        """What the reference computes."""
        return self.function(seed)(arguments)

    def function(self, _seed):
        """The reference, of what `arguments` gives."""
        return self.module.ref_kernel

    def parameters(self, _seed):
        """There are none."""
        return []

    def mismatch(self, arguments, answer):
        """What the problem's own check has to say: "" where the answer is right."""
        said = self.module.check_implementation(arguments, answer)
        if isinstance(said, tuple):
            return "" if said[0] else str(said[1]) or "its own check refuses it"
        return str(said or "")
