"""KernelBench's form of a problem: `Model`, `get_inputs`, `get_init_inputs` in one file.

Runs in a confined worker of ours; the judge never imports the file.
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
"""Of a call, with which a CPU computes it in seconds."""
MOST_BYTES_GPU = 512 << 20
MOST_FLOPS_GPU = 2e11
"""Of a call on a GPU, several of which with inputs of their own make one timed window."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WRITES = False
"""Whether what is called may write to its inputs."""
LEAST = (64, 256, 1024)
"""Sizes from which on a file's numbers shrink; smaller ones are kernel sizes, groups and heads."""
SMALLEST = 16
"""No size becomes smaller."""


def problem(_test):
    """The problem at a size for this machine, and what is said of it."""
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
    """The file with its sizes divided: `factor` 1 leaves them as they are."""

    def __init__(self, factor=1, least=0):
        source = (Path(__file__).parent / FILE).read_text(encoding="utf-8")
        self.module = types.ModuleType("problem")
        exec(compile(source, FILE, "exec"), self.module.__dict__)  # noqa: S102 - confined here
        if factor > 1:
            for name, value in list(vars(self.module).items()):
                setattr(self.module, name, shrunk(value, factor, least))

    def arguments(self, seed, kind):
        """What the model is called with: see `sampled`."""
        torch.manual_seed(seed)
        with torch.device(DEVICE), sampled(kind):
            return tuple(self.module.get_inputs())

    def fits(self, _tensors):
        """Its sizes were chosen so."""
        return True

    def setup(self):
        """What the model is made with."""
        return tuple(self.module.get_init_inputs())

    def reference(self, arguments, seed, double):
        """What `Model` computes, in float32 or in float64, with weights from `seed`."""
        model = self.model(seed, double)
        with torch.no_grad():
            return model(*(doubled(each) for each in arguments) if double else arguments)

    def function(self, seed):
        """The model, of what `arguments` gives."""
        model = self.model(seed)
        return lambda arguments: model(*arguments)

    @functools.lru_cache(maxsize=2)  # noqa: B019 - the problem lives as long as its process
    def model(self, seed, double=False):
        """With weights from `seed`, made on the CPU as a submission's is."""
        torch.manual_seed(seed)
        model = self.module.Model(*self.setup()).to(DEVICE)
        return model.double() if double else model

    def parameters(self, seed):
        """What a call reads besides its inputs."""
        return [each.detach() for each in self.model(seed).parameters()]


def shrunk(value, factor, least):
    """A size from `least` on, divided; a tuple or list with its sizes divided; else the value."""
    if type(value) in (tuple, list):
        return type(value)(shrunk(item, factor, least) for item in value)
    if type(value) is int and value >= least:
        return max(SMALLEST, value // factor)
    return value


def doubled(value):
    """A tensor of floating-point numbers as float64; anything else as it is."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else value


@contextlib.contextmanager
def sampled(kind):
    """What `torch.rand` and `torch.randn` return inside.

    given: what they always do. normal: normally distributed numbers. integers: from -3 to 3.
    spikes: one number in a hundred is 30 times as large, so that no part of a reduction can be left
    out. What the file makes of these, such as a triangular matrix, stays its own.
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
    """The least shrinking with which a call fits into these limits: factor, least size.

    Measured with tensors that have no memory. Where nothing fits, the smallest that runs.
    ValueError where the model runs at no size.
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
