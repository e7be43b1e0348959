"""FlashInfer-Bench's problem format, and SOL-ExecBench's: a definition and its workloads.

Runs in a trusted, sandboxed worker; the judge never executes the problem's text.
Sources: https://github.com/flashinfer-ai/flashinfer-bench, docs/flashinfer-trace;
https://github.com/NVIDIA/SOL-ExecBench, docs/definition.md and docs/workload.md.
"""

import functools
import json
import math
import types
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_kernelbench import DEVICE, sized, smaller
from hotloop_near import far, unequal
from hotloop_structure import Unfit

HERE = Path(__file__).parent
WRITES = False
"""Whether the called function may write to its inputs."""

ROOM = 8
"""A call may use this many times the usual bytes and operations before constants are divided."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """Return one of the workloads at a size for this machine, and a text on its sizes.

    Constant axes keep their size if they can: a submission may spell them out.
    """
    return _sized(test)


@functools.cache
def _sized(test):
    for room in (1, ROOM):
        made = functools.partial(FlashInferProblem, test, ("var",))
        try:
            return sized(made, room, strict=True)
        except Unfit:
            pass
    whole, told = sized(functools.partial(FlashInferProblem, test, ("var", "const")))
    return whole, f"{told}, constants too" if told else told


class FlashInferProblem:
    """The definition's reference, and one workload. divided: types of axes that are divided."""

    def __init__(self, test, divided=(), factor=1, least=0):
        told = json.loads((HERE / "definition.json").read_text(encoding="utf-8"))
        self.call = json.loads((HERE / "hotloop_tests.json").read_text(encoding="utf-8"))[test]
        self.module = types.ModuleType("reference")
        exec(compile(told["reference"], "reference", "exec"), self.module.__dict__)  # noqa: S102
        self.run = self.module.run
        self.axes = {}
        for name, axis in self.call["axes"].items():
            if axis["type"] == "expr":
                names = {"__builtins__": {}, **self.axes}
                self.axes[name] = int(eval(axis["expression"], names))  # noqa: S307 - confined here
            else:
                chosen = axis["type"] in divided
                self.axes[name] = smaller(axis["value"], factor if chosen else 1, least)

    def arguments(self, seed, _kind):
        """Return random tensors, drawn as in the set's own benchmark, and scalars."""
        torch.manual_seed(seed)
        with torch.device(DEVICE):
            return self._drawn_all()

    def _drawn_all(self):
        plain = {each["name"]: each["value"] for each in self.call["inputs"] if _plain(each)}
        custom = {}
        if any(each["type"] == "custom" for each in self.call["inputs"]):
            make = getattr(self.module, self.call["custom"])
            custom = make({**self.axes, **plain}, torch.get_default_device())
        return tuple(
            custom[each["name"]] if each["type"] == "custom" else self._drawn(each)
            for each in self.call["inputs"]
        )

    def fits(self, _tensors):
        """Return True: the sizes were chosen to fit."""
        return True

    def setup(self):
        """Return shapes and dtypes of the outputs, for submissions that write to given ones."""
        outputs = self.call["outputs"]
        return tuple((self._shape(each) or (), getattr(torch, each["dtype"])) for each in outputs)

    def function(self, _seed):
        """Return a function that applies the reference to the result of `arguments`."""
        return lambda arguments: self.run(*arguments)

    def parameters(self, _seed):
        """Return an empty list: there are no parameters."""
        return []

    def mismatch(self, arguments, answer):
        """Return what is wrong with the outputs; "" if they are right."""
        want = self.run(*arguments)
        want = list(want.values()) if isinstance(want, dict) else want
        wants = [want] if isinstance(want, torch.Tensor) else list(want)
        got = [answer] if isinstance(answer, torch.Tensor) else list(answer)
        if [_kind(each) for each in got] != [_kind(each) for each in wants]:
            return f"expected {', '.join(map(str, map(_kind, wants)))}"
        told = self.call["tolerance"]
        room = told["max_atol"], told["max_rtol"], 1 - told["required_matched_ratio"]
        for mine, theirs in zip(got, wants, strict=True):
            floating = theirs.is_floating_point()
            if said := far(mine, theirs, *room) if floating else unequal(mine, theirs):
                return said
        return ""

    def ready(self):
        """Return a call to measure, and the tensors that it reads."""
        given = self._drawn_all()
        tensors = [each for each in given if isinstance(each, torch.Tensor)]
        return lambda: self.run(*given), tensors

    def _shape(self, told):
        if told["shape"] is None:
            return None
        return tuple(self.axes[name] if name in self.axes else int(name) for name in told["shape"])

    def _drawn(self, told):
        if _plain(told):
            return told["value"]
        dtype, shape = getattr(torch, told["dtype"]), self._shape(told)
        low, high = (0, 2) if dtype is torch.bool else (-1024, 1024)
        if dtype is torch.int8:
            low, high = -128, 128
        if not dtype.is_floating_point:
            values = torch.randint(low, high, shape or (), dtype=dtype)
        elif dtype.itemsize == 1:
            values = torch.randn(shape or ()).clamp(-2, 2).to(dtype)
        elif shape and (named := _by_name(told["name"], told["description"] or "", shape)):
            values = named().to(dtype)
        else:
            values = torch.randn(shape or (), dtype=dtype)
        return values.item() if shape is None else values


def _plain(told):
    return told["type"] == "scalar"


def _kind(tensor):
    return (str(tensor.dtype), list(tensor.shape))


def _by_name(name, description, shape):
    """Return what draws an input whose name tells what it is; None if it does not.

    As in SOL-ExecBench's io.py; but a norm's weights are near 1 and not 1, so that leaving them
    out shows.
    """
    name = name.rstrip("0123456789")
    words = name.lower().split("_")
    if words[-1] in ("weight", "bias") and any(word.endswith("norm") for word in words[:-1]):
        return lambda: (words[-1] == "weight") + 0.1 * torch.randn(shape)
    if words[-1] == "mask":
        return _mask(name, shape)
    if words[0] in ("cos", "sin") or name in ("rope_cos", "rope_sin"):
        turned = torch.cos if "cos" in words else torch.sin
        return lambda: turned(torch.randn(shape).clamp(-math.pi, math.pi))
    if words[-1] in ("rstd", "std", "var", "variance"):
        return lambda: torch.randn(shape).abs() + 0.1
    if name in _DECAYS:
        low, high = _DECAYS[name]
        return lambda: low + (high - low) * torch.rand(shape)
    if name == "A_cumsum":
        return lambda: (-0.1 * torch.rand(shape)).cumsum(-1)
    return _weights(words, description.lower(), shape)


def _mask(name, shape):
    if len(shape) > 1 and shape[-1] == shape[-2]:
        return lambda: torch.full(shape, torch.finfo(torch.bfloat16).min).triu(1)
    if name in ("x_mask", "text_mask", "drop_mask", "attention_mask"):
        return lambda: torch.randint(0, 2, shape).float()
    return None


def _weights(words, description, shape):
    if words[-1] == "weights" and ("softmax" in description or "routing" in words):
        return lambda: torch.softmax(torch.randn(shape), -1)
    if len(shape) > 1 and words[-1] in ("weight", "weights", "proj", "projs"):
        return lambda: torch.randn(shape) / math.sqrt(shape[-1])
    return None


_DECAYS = {"A_log": (-5.0, -1.0), "A": (-1.0, -0.001), "g": (-5.0, 0.0)}
"""Ranges of what decays in a state-space model."""
