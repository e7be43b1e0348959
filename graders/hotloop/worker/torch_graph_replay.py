"""Repeats recorded steps and graphs of PyTorch on other numbers, and counts the graphs that ran.

None of the learner's code runs here. Answers need the weights, which only this process has: they
come from graphs, because nothing else may compute with them.
"""

import importlib
import operator
from collections.abc import Iterable
from typing import Any, cast

from torch.utils._pytree import tree_leaves

from hotloop.worker import torch_replay
from hotloop.worker.torch_operations import MOVES, OVERWRITES, is_view, only_makes

torch: Any = importlib.import_module("torch")  # torch publishes few types

WHOLE_NUMBERS = frozenset(
    {
        *("add", "sub", "mul", "floordiv", "mod", "neg", "pos", "getitem", "index"),
        *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_"),
    }
)
"""Functions of Python's `operator` that graphs contain for sizes."""

SYMBOLIC = frozenset({"sym_max", "sym_min", "sym_not", "sym_float", "sym_int", "sym_ite"})


class GraphReplay(torch_replay.Replay):
    """Storages and graphs. weights: tensors with the numbers 0, 1, …

    graphs: numbers of those that ran.
    outside: an operation that computed with weights, or with what a graph made, beside graphs.
    """

    def __init__(self, weights: list[Any]) -> None:
        super().__init__(weights)
        self.graphs: set[int] = set()
        self.outside = ""
        self._nodes: dict[int, list[Any]] = {}
        self._computed = set(range(len(weights)))
        self._requested: set[int] = set()

    def answer(self, inputs: list[Any], steps: list[Any]) -> Any:
        """Repeat the steps of a call with these inputs and return its result.

        They begin with ["input", number] for each, and end with ["out", result].
        """
        for tensor, step in zip(inputs, steps, strict=False):
            match step:
                case ["input", int(number)]:
                    self._storages[number] = tensor.untyped_storage()
                    self._requested.add(number)
                case _:
                    raise ValueError("these are no steps of a call")
        match steps[len(inputs) :]:
            case [*rest, ["out", answer]]:
                self.all(rest)
                return self.decoded(answer)
            case _:
                raise ValueError("these are no steps of a call")

    def all(self, steps: Iterable[Any]) -> None:
        """Repeat steps."""
        for step in steps:
            match step:
                case ["graph", int(number), nodes] if number not in self._nodes:
                    self._nodes[number] = nodes
                case ["run", int(number), arguments, results]:
                    self.run(number, arguments, results)
                case _:
                    self._beside(step)

    def run(self, number: int, arguments: Any, results: list[int]) -> None:
        """Run a graph with what was recorded as its arguments."""
        self.graphs.add(number)
        values = self._interpreted(self._nodes[number], self.decoded(arguments))
        self.keep([each for each in values if isinstance(each, torch.Tensor)], results)
        self._computed.update(results)
        if numbers(arguments) & self._requested:
            self._requested.update(results)

    def _interpreted(self, nodes: list[Any], arguments: list[Any]) -> Any:
        values: list[Any] = []
        rest = iter(arguments)

        def resolved(value: Any) -> Any:
            match value:
                case ["node", int(place)]:
                    return values[place]
                case ["list", each]:
                    return [resolved(one) for one in each]
                case _:
                    return self.decoded(value)

        for kind, name, encoded, named in nodes:
            if kind == "placeholder":
                values.append(next(rest))
            elif kind == "value":
                values.append(self.decoded(encoded))
            elif kind == "output":
                (results,) = resolved(encoded)
                return results
            else:
                keywords = {key: resolved(each) for key, each in named.items()}
                values.append(_function(name)(*resolved(encoded), **keywords))
        raise ValueError("this graph has no output")

    def _beside(self, step: Any) -> None:
        """Do one step that is in no graph."""
        self.step(step, torch.no_grad())
        if step[0] != "call":
            return
        _, name, arguments, named, results = step
        function = torch_replay.operation(name)
        if only_makes(function):
            return
        read = numbers(arguments) | numbers(list(named.values()))
        if function._schema.is_mutable:
            results = [*results, *numbers(arguments[1][:1])]
        if read & self._requested:
            self._requested.update(results)
        if read & self._computed:
            self._computed.update(results)
            if not _moves(function, [self.decoded(arguments), *map(self.decoded, named.values())]):
                self.outside = self.outside or name.split(".")[1]


def numbers(value: Any) -> set[int]:
    """Return the numbers of the storages of all tensors in an encoded value."""
    match value:
        case ["tensor", int(number), *_]:
            return {number}
        case list():
            return set[int]().union(*map(numbers, cast(list[Any], value)))
        case _:
            return set()


def _moves(function: Any, arguments: Any) -> bool:
    """Whether an operation only moves elements, or changes each by itself."""
    name = function._schema.name.partition("::")[2]
    if is_view(function) or name in MOVES or name in OVERWRITES or name == "_to_copy":
        return True
    tensors = [each for each in tree_leaves(arguments) if isinstance(each, torch.Tensor)]
    return torch.Tag.pointwise in function.tags and sum(t.numel() > 1 for t in tensors) <= 1


def _function(name: str) -> Any:
    module, _, rest = name.partition(".")
    if module == "operator" and rest in WHOLE_NUMBERS:
        return getattr(operator, rest)
    if module == "torch" and rest in SYMBOLIC:
        return getattr(torch, rest)
    return torch_replay.operation(name)
