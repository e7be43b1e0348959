"""robust-kbench's problem format: `forward_fn`, a `Model` that calls it, and settings in JSON.

A submission is what `Model` calls in place of `forward_fn`; in a backward task, what
`AutogradFunction` calls as its `backward_fn`. Both are judged by the arguments that they get.

Runs in a trusted, sandboxed worker; the judge never imports the files.
Source: https://github.com/SakanaAI/robust-kbench, README, "Task structure".
"""

import ast
import functools
import inspect
import json
import types
from pathlib import Path

import hotloop_without_gpu
import torch
from hotloop_kernelbench import DEVICE, Literals, sampled, shrunk, sized, unseeded
from torch.utils._pytree import tree_leaves, tree_map

HERE = Path(__file__).parent
FILE, TESTS = "problem.py", "hotloop_tests.json"
WRITES = True
"""Whether the called function may write to its inputs: `forward_fn` keeps running means there."""
hotloop_without_gpu.prepare(HERE)


def problem(test):
    """Return the problem in one of its settings, at a size for this machine, and its sizes."""
    told = json.loads((HERE / TESTS).read_text(encoding="utf-8"))[test]
    return _sized(json.dumps(told["init"]), json.dumps(told["input"]), told["direction"])


@functools.cache
def _sized(init, given, direction):
    return sized(functools.partial(_DIRECTIONS[direction], json.loads(init), json.loads(given)))


class Forward:
    """The problem's `forward_fn`, in one setting, with its sizes divided by `factor`."""

    NAMES = ("forward_fn", "forward")

    def __init__(self, init, given, factor=1, least=0):
        tree = ast.parse((HERE / FILE).read_text(encoding="utf-8"))
        if factor > 1:
            tree = Literals(factor, least).visit(tree)
        self.module = types.ModuleType("problem")
        exec(compile(tree, FILE, "exec"), self.module.__dict__)  # noqa: S102 - confined here
        if factor > 1:
            for name, value in list(vars(self.module).items()):
                setattr(self.module, name, shrunk(value, factor, least))
        self._init = _keywords(self.module.Model, init, factor, least)
        self._given = _keywords(self.module.get_inputs, given, factor, least)

    def arguments(self, seed, kind):
        """Return what `Model` calls the function with, without its outer tuple."""
        torch.manual_seed(seed)
        with torch.device(DEVICE), unseeded():
            model = self.module.Model(**self._init)
            with sampled(kind):
                inputs = self.module.get_inputs(**self._given)
        return self._called(_captured(model, inputs))

    def fits(self, _tensors):
        """Return True: the sizes were chosen to fit."""
        return True

    def setup(self):
        """Return the names that a submission may have."""
        return self.NAMES

    def function(self, _seed):
        """Return a function that computes the outputs from the result of `arguments`."""
        return lambda arguments: self.module.forward_fn(*arguments)

    def parameters(self, _seed):
        """Return an empty list: the weights are arguments."""
        return []

    def ready(self):
        """Return a call to measure, and the tensors that it reads."""
        model, inputs = self.module.Model(**self._init), self.module.get_inputs(**self._given)
        arguments = self._called(_captured(model, inputs))
        leaves = [each for each in tree_leaves(arguments) if isinstance(each, torch.Tensor)]
        return lambda: self.function(0)(arguments), leaves

    def _called(self, arguments):
        return arguments


class Backward(Forward):
    """The gradients of `forward_fn`, which a submission computes as `backward_fn`.

    The arguments are those of `backward_fn`, then those of `forward_fn`, from which PyTorch's
    autograd computes what is right, as the set's own check does.
    """

    NAMES = ("backward_fn", "backward")
    _order = None
    """Of which inputs the results of `backward_fn` are the gradients; known after a call."""

    def function(self, _seed):
        """Return a function that computes the gradients from the result of `arguments`."""

        def gradients(arguments):
            *_mine, (given, out_gradient) = arguments
            with torch.enable_grad():
                given = tree_map(_leaf, given)
                out = self.module.forward_fn(*given)
                if self._order is None:
                    self._order = self._tape(given, out_gradient)[1]
                return torch.autograd.grad(out, [given[at] for at in self._order], out_gradient)

        return gradients

    def _called(self, arguments):
        with torch.no_grad():
            out_gradient = torch.randn_like(self.module.forward_fn(*arguments))
        mine, self._order = self._tape(arguments, out_gradient)
        return (*mine, (arguments, out_gradient))

    def _tape(self, arguments, out_gradient):
        """Return what `backward_fn` gets, and of which inputs its results are the gradients."""
        taped = _Tape()
        with torch.no_grad():
            self.module.AutogradFunction.forward(taped, *arguments)
            return _asked(self.module.AutogradFunction, taped, out_gradient)


_DIRECTIONS = {"forward": Forward, "backward": Backward}


class _Tape:
    """Stands for the context of an autograd function."""

    def __init__(self):
        self.saved_tensors = ()
        self.needs_input_grad = _Always()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *_tensors):
        pass

    def set_materialize_grads(self, _value):
        pass


class _Always:
    def __getitem__(self, _at):
        return True


class _Called(Exception):
    """Carries the arguments out of a model."""


def _captured(model, inputs):
    """Return the arguments with which the model calls its function, detached."""

    def capture(*arguments, **keywords):
        if keywords:
            raise ValueError("it calls its function by keywords")
        raise _Called(arguments)

    try:
        model(*inputs, fn=capture)
    except _Called as called:
        return tree_map(_detached, called.args[0])
    raise ValueError("its model does not call the function that it is given")


def _asked(function, taped, out_gradient):
    """Return the arguments of `backward_fn`, and for each of its results which input it is of."""
    for count in (0, *range(1, 17)):
        marks = object() if not count else tuple(object() for _ in range(count))
        seen = []

        def backward_fn(*arguments, marks=marks, seen=seen):
            seen.append(arguments)
            return marks

        function.backward_fn = staticmethod(backward_fn)
        try:
            made = function.backward(taped, out_gradient)
        except (TypeError, ValueError):  # its results are another number
            continue
        made = made if isinstance(made, tuple) else (made,)
        order = [made.index(each) for each in (marks if count else (marks,)) if each in made]
        if order:
            return seen[0], order
    raise ValueError("its backward function does something with the gradients, or has too many")


def _keywords(function, told, factor, least):
    """Return the keywords of a setting, and the defaults that are sizes, shrunk."""
    takes = inspect.signature(function).parameters
    told = {name: value for name, value in told.items() if name in takes}
    sizes = {n: e.default for n, e in takes.items() if type(e.default) is int and n not in told}
    if factor == 1:
        return told
    # The literals of `get_inputs`, and with them its defaults, are smaller already.
    own = {} if function.__name__ == "get_inputs" else sizes
    return {name: shrunk(value, factor, least) for name, value in {**own, **told}.items()}


def _detached(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def _leaf(value):
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value.detach().requires_grad_()
