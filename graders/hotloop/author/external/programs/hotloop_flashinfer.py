"""FlashInfer-Bench's problem format: a definition whose `reference` has `run`, and workloads.

Runs in a trusted, sandboxed worker; the judge never executes the problem's text.
Source: https://github.com/flashinfer-ai/flashinfer-bench, docs/flashinfer-trace.
"""

import json
import types
from pathlib import Path

import hotloop_without_gpu
import torch

HERE = Path(__file__).parent
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MOST_BYTES = (512 if DEVICE == "cuda" else 64) << 20
"""Most bytes of a call's inputs on this machine."""
WRITES = False
"""Whether the called function may write to its inputs."""

MOST_OFF = 1e-2
"""Accepted absolute and relative error: as in the set's own benchmark."""
MOST_OF_RMS = 0.05
"""The absolute error may also be at most this share of the output's RMS, to check small outputs."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """Return one of the workloads, and a text on its sizes, which is empty."""
    return FlashInferProblem(test), ""


class FlashInferProblem:
    """The definition's reference, and one workload."""

    def __init__(self, test):
        told = json.loads((HERE / "definition.json").read_text(encoding="utf-8"))
        self.call = json.loads((HERE / "hotloop_tests.json").read_text(encoding="utf-8"))[test]
        module = types.ModuleType("reference")
        exec(compile(told["reference"], "reference", "exec"), module.__dict__)  # noqa: S102
        self.run = module.run

    def arguments(self, seed, _kind):
        """Return random tensors, drawn as in the set's own benchmark, and scalars."""
        torch.manual_seed(seed)
        return tuple(map(_drawn, self.call["inputs"]))

    def fits(self, tensors):
        """Return whether a call is small enough for this machine."""
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors) <= MOST_BYTES

    def setup(self):
        """Return shapes and dtypes of the outputs, for submissions that write to given ones."""
        outputs = self.call["outputs"]
        return tuple((tuple(each["shape"]), getattr(torch, each["dtype"])) for each in outputs)

    def function(self, _seed):
        """Return a function that applies the reference to the result of `arguments`."""
        return lambda arguments: self.run(*arguments)

    def parameters(self, _seed):
        """Return an empty list: there are no parameters."""
        return []

    def mismatch(self, arguments, answer):
        """Return what is wrong with the outputs; "" if they are right."""
        want = self.run(*arguments)
        wants = [want] if isinstance(want, torch.Tensor) else list(want)
        got = [answer] if isinstance(answer, torch.Tensor) else list(answer)
        if [_kind(each) for each in got] != [_kind(each) for each in wants]:
            return f"expected {', '.join(map(str, map(_kind, wants)))}"
        return next(filter(None, map(_off, got, wants)), "")


def _off(got, want):
    got, want = got.double(), want.double()
    error = (got - want).abs()
    most = min(MOST_OFF, MOST_OF_RMS * want.square().mean().sqrt().item())
    wrong = ~((error <= most) | (error <= MOST_OFF * want.abs()))
    return f"{int(wrong.sum())} of {wrong.numel()} elements differ" if wrong.any() else ""


def _kind(tensor):
    return (str(tensor.dtype), list(tensor.shape))


def _drawn(told):
    if "value" in told:
        return told["value"]
    dtype, shape = getattr(torch, told["dtype"]), told["shape"]
    low, high = (0, 2) if dtype is torch.bool else (-1024, 1024)
    with torch.device(DEVICE):
        if dtype.is_floating_point:
            return torch.randn(shape or (), dtype=dtype)
        values = torch.randint(low, high, shape or (), dtype=dtype)
    return values.item() if shape is None else values
