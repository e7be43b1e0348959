"""KernelBench's problem format: `Model`, `get_inputs`, `get_init_inputs` in one file.

Runs in a trusted, sandboxed worker; the judge never imports the file.
Source: https://github.com/ScalingIntelligence/KernelBench, README, "Task description".
"""

import ast
import contextlib
import dis
import functools
import operator
import types
import weakref
from pathlib import Path
from unittest.mock import patch

import torch
from hotloop_structure import Unfit
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.weak import WeakIdKeyDictionary

FILE = "problem.py"
MOST_BYTES = 16 << 20
MOST_FLOPS = 1e9
"""Most bytes in use at once and operations of a call; a CPU computes it some ten times in seconds.
"""
MOST_STEPS = 3000
"""Most calls of PyTorch's operations, such as those of a recurrent layer for each time step."""
MOST_BYTES_GPU = 512 << 20
MOST_FLOPS_GPU = 2e11
"""Most bytes and operations of a call on a GPU; a timed window holds several calls' inputs."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WRITES = False
"""Whether the called function may write to its inputs."""
LEAST = (64, 256, 1024)
"""Smallest sizes to shrink, tried in turn; smaller numbers are kernel sizes, groups and heads."""
LESS = (16, 8)
"""Smallest sizes to shrink where a call fits at none of those."""
FACTORS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
NEARLY = 1.25
"""Where nothing fits, a call of this many times the fewest bytes is preferred if it is shrunk less:
of what weights need, no size takes anything, and a batch normalization is left with two numbers."""
TOO_MANY = 24
"""A call that uses this many times `MOST_BYTES` at its smallest sizes is not tried."""
SMALLEST = 16
"""No size is shrunk below this, or below half of the smallest size to shrink."""


def problem(_test):
    """Return the problem at a size for this machine, and a text on how it was shrunk."""
    return _sized()


@functools.cache
def _sized():
    return sized(KernelBenchProblem)


def sized(made, room=1, *, strict=False):
    """Return what `made` returns at a size for this machine, and a text on how it was shrunk.

    room: times the usual limits. strict: raise Unfit rather than exceed them.
    """
    on_gpu = DEVICE == "cuda"
    limits = (MOST_BYTES_GPU, MOST_FLOPS_GPU) if on_gpu else (MOST_BYTES, MOST_FLOPS)
    factor, least = fitting(*(room * each for each in limits), made, strict=strict)
    told = f"sizes from {least} on divided by {factor}" if factor > 1 else ""
    return made(factor, least), told


class KernelBenchProblem:
    """The problem's file with its sizes divided by `factor`; 1 leaves them unchanged."""

    def __init__(self, factor=1, least=0):
        source = (Path(__file__).parent / FILE).read_text(encoding="utf-8")
        self.module = types.ModuleType("problem")
        tree = ast.parse(source)
        if factor > 1:
            tree = Literals(factor, least).visit(tree)
        exec(compile(tree, FILE, "exec"), self.module.__dict__)  # noqa: S102 - confined here
        if factor > 1:
            for name in vars(self.module).keys() - read_by_the_model(tree):
                setattr(self.module, name, shrunk(vars(self.module)[name], factor, least))

    def arguments(self, seed, kind):
        """Return the model's inputs: see `sampled`."""
        torch.manual_seed(seed)
        with torch.device(DEVICE), unseeded(), sampled(kind):
            return tuple(self.module.get_inputs())

    def fits(self, _tensors):
        """Return True: the sizes were chosen to fit."""
        return True

    def setup(self):
        """Return the model's constructor arguments."""
        made = getattr(self.module, "get_init_inputs", list)
        return tuple(made())

    def function(self, seed):
        """Return a function that applies the model to the result of `arguments`."""
        model = self.model(seed)
        return lambda arguments: model(*arguments)

    @functools.lru_cache(maxsize=2)  # noqa: B019 - the problem lives as long as its process
    def model(self, seed):
        """Return the model with weights from `seed`, created on the CPU as the submission's is."""
        torch.manual_seed(seed)
        return self.module.Model(*self.setup()).to(DEVICE)

    def parameters(self, seed):
        """Return the tensors that a call reads besides its inputs."""
        return [each.detach() for each in self.model(seed).parameters()]

    def ready(self):
        """Return a call to measure, and the tensors that it reads."""
        model = self.module.Model(*self.setup())
        inputs = tuple(self.module.get_inputs())
        return lambda: model(*inputs), (*inputs, *model.parameters())


INPUTS = ("get_inputs", "get_init_inputs")


def read_by_the_model(tree):
    """Return the names that the file's classes and functions read, but for those of its inputs.

    A submission has these sizes in its own file, where nothing is divided.
    """
    own = [each for each in tree.body if getattr(each, "name", INPUTS[0]) not in INPUTS]
    code = compile(ast.Module(own, tree.type_ignores), FILE, "exec")
    return set(_globals_read(code))


def _globals_read(code):
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield each.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_read(constant)


class Literals(ast.NodeTransformer):
    """Shrinks the sizes that `get_inputs` and `get_init_inputs` spell out."""

    def __init__(self, factor, least):
        self._by = factor, least

    def visit_Module(self, node):
        """Change the functions that make inputs."""
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.name in INPUTS:
                self.generic_visit(each)
        return node

    def visit_Constant(self, node):
        """Divide a size."""
        return ast.copy_location(ast.Constant(shrunk(node.value, *self._by)), node)


def shrunk(value, factor, least):
    """Return the value with sizes of at least `least` divided, also in a tuple or list."""
    if type(value) in (tuple, list):
        return type(value)(shrunk(item, factor, least) for item in value)
    if type(value) is int and value >= least:
        return max(min(SMALLEST, least // 2), value // factor)
    return value


def smaller(size, factor, least):
    """Return a size divided as by `shrunk`; what is odd stays odd, as it is odd on purpose."""
    return size if factor == 1 else shrunk(size, factor, least) | (size & 1)


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


def unseeded():
    """Return a context in which a file sets no seed of its own, with which inputs are known."""
    return patch.object(torch, "manual_seed", lambda _seed: torch.default_generator)


def fitting(most_bytes, most_flops, made=KernelBenchProblem, *, strict=False):
    """Return the least shrinking with which a call fits into these limits: factor, least size.

    made: returns the problem at such a size, with `ready`. strict: raise rather than exceed them.

    Measured on the meta device, without memory; a model that does not run there, as it reads values
    by `.item()`, is measured at growing sizes. If nothing fits, returns a call that is about as
    small as the smallest that runs. Raises Unfit if that is far too large; what the model raises if
    it runs at no size.
    """
    sizes = [(factor, least) for factor in FACTORS for least in (LEAST if factor > 1 else (0,))]
    sizes += [(factor, least) for least in LESS for factor in FACTORS[1:4]]
    ran = []
    for size in sizes:
        try:
            cost, flops = _cost(made(*size), "meta")
        except Exception:  # noqa: BLE001 - a size at which it does not run
            continue
        if cost <= most_bytes and flops <= most_flops:
            return size
        ran.append((cost, flops, size))
    if not ran:
        return _grown(sizes[::-1], most_bytes, most_flops, made, strict=strict)
    least, _, smallest = min(ran, key=operator.itemgetter(0))
    if strict or least > TOO_MANY * most_bytes:
        raise Unfit(f"a call uses {least >> 20} MiB at its smallest sizes")
    near = (size for cost, flops, size in ran if cost <= NEARLY * least and flops <= most_flops)
    return next(near, smallest)


def _grown(sizes, most_bytes, most_flops, made, *, strict):
    """As `fitting`, with real tensors: return the largest size before one that does not fit."""
    fits, why = None, None
    for size in sizes:
        try:
            cost, flops = _cost(made(*size), DEVICE)
        except Exception as error:  # noqa: BLE001 - a size at which it does not run
            why = error
            continue
        over = cost > most_bytes or flops > most_flops
        if fits is not None and over:
            break
        if strict and over:
            raise Unfit(f"a call uses {cost >> 20} MiB at its smallest sizes")
        fits = size
    if fits is None:
        raise why
    return fits


def _cost(problem, device):
    """Return the most bytes in use at once, and the operations of a call."""
    with torch.device(device), torch.no_grad():
        call, given = problem.ready()
        with FlopCounterMode(display=False) as counter, _Footprint() as made:
            call()
    return sum(map(_bytes, given)) + made.most, counter.get_total_flops()


class _Footprint(TorchDispatchMode):
    """Counts the bytes of all tensors that operations make, and are in use at once.

    Raises ValueError for too many operations.
    """

    def __init__(self):
        super().__init__()
        self.most = self._now = self._steps = 0
        self._known = WeakIdKeyDictionary()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ValueError(f"a call takes more than {MOST_STEPS} operations")
        given = {_place(each) for each in tree_leaves((args, kwargs))}
        out = func(*args, **(kwargs or {}))
        for each in tree_leaves(out):
            if isinstance(each, torch.Tensor) and _place(each) not in given:
                self._count(each.untyped_storage())
        return out

    def _count(self, storage):
        if storage in self._known:
            return
        self._known[storage] = True
        self._now += storage.nbytes()
        self.most = max(self.most, self._now)
        weakref.finalize(storage, self._free, storage.nbytes())

    def _free(self, size):
        self._now -= size


def _place(value):
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


def _bytes(value):
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0
