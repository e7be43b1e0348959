"""LeetGPU's problem format: a `Challenge` with `reference_impl`, its signature, and tests.

Runs in a trusted, sandboxed worker; the judge never imports the files.
Source: https://github.com/AlphaGPU/leetgpu-challenges, README.
"""

import functools
import importlib
import sys
import types
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_near import far
from hotloop_structure import known

HERE = Path(__file__).parent
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MOST_BYTES = (512 if DEVICE == "cuda" else 64) << 20
"""Most bytes of a call's arguments on this machine."""
WRITES = True
"""Whether the called function may write to its inputs."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """Return one of the functional tests, and a text on its sizes, which is empty."""
    return LeetGpuProblem(test), ""


class LeetGpuProblem:
    """The challenge, and one of its functional tests."""

    def __init__(self, test):
        self.challenge, self._test = _challenge(), test
        signature = self.challenge.get_solve_signature()
        self.names = [*signature]
        self.outputs = [at for at, told in enumerate(signature.values()) if told[1] != "in"]

    def arguments(self, seed, _kind):
        """Return the test's arguments in order; its random ones are drawn from a secret seed."""
        torch.manual_seed(seed)
        tests = self.challenge.generate_functional_test()
        if self._test >= len(tests):
            return ()
        return tuple(_made(tests[self._test][name]) for name in self.names)

    def fits(self, tensors):
        """Return whether there is such a test, and it is small enough for this machine."""
        used = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        return bool(tensors) and used <= MOST_BYTES

    def setup(self):
        """Return the positions of the arguments that are written to."""
        return tuple(self.outputs)

    def function(self, _seed):
        """Return a function that computes the outputs from the result of `arguments`."""

        def applied(arguments):
            self.challenge.reference_impl(**dict(zip(self.names, arguments, strict=True)))
            outputs = [known(arguments[at]) for at in self.outputs]
            return outputs if len(outputs) > 1 else outputs[0]

        return applied

    def parameters(self, _seed):
        """Return an empty list: there are no parameters."""
        return []

    def mismatch(self, arguments, answer):
        """Return what is wrong with the outputs; "" if they are right."""
        want = self.function(0)(arguments)
        wants = [want] if isinstance(want, torch.Tensor) else want
        got = [answer] if isinstance(answer, torch.Tensor) else list(answer)
        if [each.shape for each in got] != [each.shape for each in wants]:
            return f"expected {', '.join(str(list(each.shape)) for each in wants)}"
        return next(filter(None, map(self._off, got, wants)), "")

    def _off(self, got, want):
        room = self.challenge.atol, self.challenge.rtol
        if want.is_floating_point():
            return far(got, want, *room)
        wrong = (got.double() - want.double()).abs() > room[0] + room[1] * want.double().abs()
        return f"{int(wrong.sum())} of {wrong.numel()} integers differ" if wrong.any() else ""


@functools.cache
def _challenge():
    base = importlib.import_module("challenge_base")
    core = types.ModuleType("core")
    core.challenge_base = base
    sys.modules |= {"core": core, "core.challenge_base": base}
    return importlib.import_module("challenge").Challenge(device=DEVICE)


def _made(told):
    """Return what a test's argument stands for: a random tensor, one to write to, or itself."""
    kind = type(told).__name__
    if kind not in ("RandTensor", "RandnTensor", "RandIntTensor", "FullTensor", "OutTensor"):
        return told
    dtype = told.dtype if isinstance(told.dtype, torch.dtype) else getattr(torch, told.dtype)
    with torch.device(DEVICE):
        if kind == "RandTensor":
            return (told.low + (told.high - told.low) * torch.rand(told.shape)).to(dtype)
        if kind == "RandnTensor":
            return (told.mean + told.std * torch.randn(told.shape)).to(dtype)
        if kind == "RandIntTensor":
            return torch.randint(told.low, told.high, told.shape, dtype=dtype)
        return torch.full(told.shape, getattr(told, "value", 0), dtype=dtype)
