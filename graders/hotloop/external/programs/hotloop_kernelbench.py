"""KernelBench's problem format: `Model`, `get_inputs`, `get_init_inputs` in one file.

Runs in a trusted, sandboxed worker; the judge never imports the file.
Source: https://github.com/ScalingIntelligence/KernelBench, README, "Task description".
"""

import contextlib
import functools
import types
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

FILE = "problem.py"
MOST_BYTES = 64 << 20
MOST_FLOPS = 4e9
"""Most bytes and operations of a call that a CPU computes in seconds."""
MOST_BYTES_GPU = 512 << 20
MOST_FLOPS_GPU = 2e11
"""Most bytes and operations of a call on a GPU; a timed window holds several calls' inputs."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WRITES = False
"""Whether the called function may write to its inputs."""
LEAST = (64, 256, 1024)
"""Smallest sizes to shrink, tried in turn; smaller numbers are kernel sizes, groups and heads."""
SMALLEST = 16
"""No size is shrunk below this."""


def problem(_test):
    """Return the problem at a size for this machine, and a text on how it was shrunk."""
    return _sized()


@functools.cache
def _sized():
    on_gpu = DEVICE == "cuda"
    factor, least = fitting(
        MOST_BYTES_GPU if on_gpu else MOST_BYTES, MOST_FLOPS_GPU if on_gpu else MOST_FLOPS
    )
    told = f"sizes from {least} on divided by {factor}" if factor > 1 else ""
    return Problem(factor, least), told


class Problem:
    """The problem's file with its sizes divided by `factor`; 1 leaves them unchanged."""

    def __init__(self, factor=1, least=0):
        source = (Path(__file__).parent / FILE).read_text(encoding="utf-8")
        self.module = types.ModuleType("problem")
        exec(compile(source, FILE, "exec"), self.module.__dict__)  # noqa: S102 - confined here
        if factor > 1:
            for name, value in list(vars(self.module).items()):
                setattr(self.module, name, shrunk(value, factor, least))

    def arguments(self, seed, kind):
        """Return the model's inputs: see `sampled`."""
        torch.manual_seed(seed)
        with torch.device(DEVICE), sampled(kind):
            return tuple(self.module.get_inputs())

    def fits(self, _tensors):
        """Return True: the sizes were chosen to fit."""
        return True

    def setup(self):
        """Return the model's constructor arguments."""
        return tuple(self.module.get_init_inputs())

    def reference(self, arguments, seed, double):
        """Return the output of `Model`, in its dtype or in float64, with weights from `seed`."""
        model = self.model(seed, double)
        with torch.no_grad():
            return model(*(doubled(each) for each in arguments) if double else arguments)

    def function(self, seed):
        """Return a function that applies the model to the result of `arguments`."""
        model = self.model(seed)
        return lambda arguments: model(*arguments)

    @functools.lru_cache(maxsize=2)  # noqa: B019 - the problem lives as long as its process
    def model(self, seed, double=False):
        """Return the model with weights from `seed`, created on the CPU as the submission's is."""
        torch.manual_seed(seed)
        model = self.module.Model(*self.setup()).to(DEVICE)
        return model.double() if double else model

    def parameters(self, seed):
        """Return the tensors that a call reads besides its inputs."""
        return [each.detach() for each in self.model(seed).parameters()]


def shrunk(value, factor, least):
    """Return the value with sizes of at least `least` divided, also in a tuple or list."""
    if type(value) in (tuple, list):
        return type(value)(shrunk(item, factor, least) for item in value)
    if type(value) is int and value >= least:
        return max(SMALLEST, value // factor)
    return value


def doubled(value):
    """Return a floating-point tensor as float64; anything else unchanged."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else value


@contextlib.contextmanager
def sampled(kind):
    """Change what `torch.rand` and `torch.randn` return inside the context.

    given: unchanged. normal: normally distributed numbers. integers: from -3 to 3. spikes: normal
    numbers, one in a hundred 30 times as large, so that no part of a reduction can be left out.
    Whatever the file makes of them, such as a triangular matrix, keeps its structure.
    """
    rand, randn = torch.rand, torch.randn

    def integers(*size, **options):
        return torch.round(6 * rand(*size, **options) - 3)

    def spikes(*size, **options):
        values = randn(*size, **options)
        return torch.where(rand(*size, **options) < 0.01, 30 * values, values)

    made = {"given": (rand, randn), "normal": (randn, randn)}
    made |= {"integers": (integers, integers), "spikes": (spikes, spikes)}
    torch.rand, torch.randn = made[kind]
    try:
        yield
    finally:
        torch.rand, torch.randn = rand, randn


def fitting(most_bytes, most_flops):
    """Return the least shrinking with which a call fits into these limits: factor, least size.

    Measured on the meta device, without memory. If nothing fits, returns the smallest call that
    runs. Raises ValueError if the model runs at no size.
    """
    smallest, why = None, "it was not tried"
    for factor in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        for least in LEAST if factor > 1 else (0,):
            try:
                cost, flops = _cost(Problem(factor, least))
            except Exception as error:  # noqa: BLE001 - a size at which it does not run
                why = f"{type(error).__name__}: {error}"
                continue
            if cost <= most_bytes and flops <= most_flops:
                return factor, least
            if smallest is None or cost < smallest[0]:
                smallest = (cost, factor, least)
    if smallest is None:
        raise ValueError(f"Model runs at no size: {why}")
    return smallest[1:]


def _cost(problem):
    with torch.device("meta"), torch.no_grad():
        model = problem.module.Model(*problem.setup())
        inputs = tuple(problem.module.get_inputs())
        with FlopCounterMode(display=False) as counter:
            out = model(*inputs)
    outputs = out if isinstance(out, (tuple, list)) else (out,)
    tensors = [*inputs, *outputs, *model.parameters()]
    return sum(_bytes(tensor) for tensor in tensors), counter.get_total_flops()


def _bytes(value):
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0
