"""KernelBench-Hard's problem format: `Model` in `reference.py`, its shapes, and a tolerance.

A solution's `Model` takes the reference's weights, so they are among the arguments of a call.

Runs in a trusted, sandboxed worker; the judge never imports the files.
Source: https://github.com/Infatoshi/kernelbench.com, benchmarks/hard/SPEC.md.
"""

import contextlib
import functools
import importlib
import json
import types
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_kernelbench import DEVICE, sized, smaller, unseeded
from hotloop_near import far, unequal

HERE = Path(__file__).parent
FILE, TESTS = "reference.py", "hotloop_tests.json"
WRITES = False
"""Whether the called function may write to its inputs."""
DEFAULT = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}
"""The set's tolerance, absolute and relative, where a problem names none."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """Return the problem in one of its shapes, at a size for this machine, and its sizes."""
    return _sized(test)


@functools.cache
def _sized(test):
    told = json.loads((HERE / TESTS).read_text(encoding="utf-8"))[test]
    return sized(functools.partial(HardProblem, told))


class HardProblem:
    """The reference in one shape, with its sizes divided by `factor`."""

    def __init__(self, told, factor=1, least=0):
        source = (HERE / FILE).read_text(encoding="utf-8")
        self.module = types.ModuleType("reference")
        exec(compile(source, FILE, "exec"), self.module.__dict__)  # noqa: S102 - confined here
        for name, size in told["shape"].items():
            _set(self.module, name, smaller(size, factor, least))
        self._told, self._case = told, _case(told["name"], told["case"])

    def arguments(self, seed, _kind):
        """Return the weights by name, and the inputs, with a seed of the judge."""
        torch.manual_seed(seed)
        with torch.device(DEVICE), unseeded():
            state = dict(self._model().state_dict())
            inputs = list(self.module.get_inputs())
        if self._case:
            for name, scale in self._case.state_scales.items():
                state[name] = _scaled(state[name], scale)
            for at, scale in self._case.input_scales.items():
                inputs[at] = _scaled(inputs[at], scale)
        return state, inputs

    def fits(self, _tensors):
        """Return whether there is such a case; the sizes were chosen to fit."""
        return self._case is not None or not self._told["case"]

    def setup(self):
        """Return the model's constructor arguments."""
        return tuple(self.module.get_init_inputs())

    def function(self, _seed):
        """Return a function that applies the reference to the result of `arguments`."""

        def applied(arguments):
            state, inputs = arguments
            self._own.load_state_dict(state)  # a copy, as on the submission's side
            return self._own(*inputs)

        return applied

    def parameters(self, _seed):
        """Return an empty list: the weights are arguments."""
        return []

    def mismatch(self, arguments, answer):
        """Return what is wrong with the outputs; "" if they are right."""
        want = self.function(0)(arguments)
        wants = [want] if isinstance(want, torch.Tensor) else list(want)
        got = [answer] if isinstance(answer, torch.Tensor) else list(answer)
        if [each.shape for each in got] != [each.shape for each in wants]:
            return f"expected {', '.join(str(list(each.shape)) for each in wants)}"
        for number, (mine, theirs) in enumerate(zip(got, wants, strict=True)):
            if theirs.is_floating_point():
                said = far(mine, theirs, *self._tolerance(theirs.dtype))
            elif number and wants[0].shape == theirs.shape:
                said = self._misplaced(arguments[1][0], mine, theirs, wants[0])
            else:
                said = unequal(mine, theirs)
            if said:
                return said
        return ""

    def ready(self):
        """Return a call to measure, and the tensors that it reads."""
        model = self._model()
        inputs = self.module.get_inputs()
        tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
        return lambda: model(*inputs), (*model.state_dict().values(), *tensors)

    @functools.cached_property
    def _own(self):
        return self._model().to(DEVICE)

    def _model(self):
        with unseeded():
            return self.module.Model(*self.setup()).eval().requires_grad_(False)

    def _tolerance(self, dtype):
        """Return the accepted absolute and relative error, as the set's own check does."""
        told = dict(self._told["tolerance"])
        if self._case and self._case.tolerance:
            told |= self._case.tolerance
        short = str(dtype).removeprefix("torch.")
        found = told.get(f"torch.{short}", told.get(short, DEFAULT.get(dtype, 1e-4)))
        if isinstance(found, dict):
            return float(found.get("atol", 0)), float(found.get("rtol", 0))
        return float(found), float(found)

    def _misplaced(self, source, mine, theirs, values):
        """Return where an index leads to another value; of equal values, any may be named."""
        mine = mine.long()
        if not ((mine >= 0) & (mine < source.shape[-1])).all():
            return "an index is outside of the input"
        if any((row.unique().numel() != row.numel()) for row in mine.reshape(-1, mine.shape[-1])):
            return "an index is named twice"
        said = far(source.gather(-1, mine), values, *self._tolerance(values.dtype))
        return said and f"its indices {theirs.dtype} lead to other values: {said}"


def _case(name, number):
    """Return one of the set's cases of scaled inputs; None for the plain one, or if it has none."""
    if not number:
        return None
    with contextlib.suppress(ImportError):
        cases = importlib.import_module("numeric_stress").numeric_stress_cases(name)
        return cases[number] if number < len(cases) else None
    return None


def _set(module, name, size):
    """Set the size in the module, which may spell its name in capitals."""
    names = [name] if hasattr(module, name) else [n for n in vars(module) if n.lower() == name]
    for each in names or [name]:
        setattr(module, each, size)


def _scaled(tensor, scale):
    return (tensor.float() * scale).to(tensor.dtype)
