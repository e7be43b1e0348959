"""FlashInfer-Bench's form of a problem: a definition whose `reference` has `run`, and workloads.

Runs in a confined worker of ours; the judge never runs the text.
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
"""Of the inputs of a call that is judged here."""
WRITES = False
"""Whether what is called may write to its inputs."""

MOST_OFF = 1e-2
"""By how much a number may be off, and by which share of itself: as in the set's own benchmark."""
MOST_OF_RMS = 0.05
"""And by which share of the output's root mean square, so that small numbers are not all alike."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """One of the workloads, and what is said of its sizes."""
    return Problem(test), ""


class Problem:
    """The definition's reference, and one workload."""

    def __init__(self, test):
        told = json.loads((HERE / "definition.json").read_text(encoding="utf-8"))
        self.call = json.loads((HERE / "hotloop_tests.json").read_text(encoding="utf-8"))[test]
        module = types.ModuleType("reference")
        exec(compile(told["reference"], "reference", "exec"), module.__dict__)  # noqa: S102
        self.run = module.run

    def arguments(self, seed, _kind):
        """Random tensors as the set's own benchmark draws them, and plain values."""
        torch.manual_seed(seed)
        return tuple(map(_drawn, self.call["inputs"]))

    def fits(self, tensors):
        """Whether a call is small enough for this machine."""
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors) <= MOST_BYTES

    def setup(self):
        """Shapes and dtypes of the outputs, for a submission that is given them to write to."""
        outputs = self.call["outputs"]
        return tuple((tuple(each["shape"]), getattr(torch, each["dtype"])) for each in outputs)

    def reference(self, arguments, seed, _double):
        """What the reference computes: outputs in the definition's order."""
        return self.function(seed)(arguments)

    def function(self, _seed):
        """The reference, of what `arguments` gives."""
        return lambda arguments: self.run(*arguments)

    def parameters(self, _seed):
        """There are none."""
        return []

    def mismatch(self, arguments, answer):
        """What is wrong with the outputs; "" where they are right."""
        want = self.reference(arguments, 0, False)
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
