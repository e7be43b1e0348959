"""Repeat what a service has computed, on other numbers, and count its graphs and positions.

None of the learner's code runs here. Answers need the weights, which only this process has: they
come from graphs, because nothing else may compute with them.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from hotloop.worker import torch_replay
from hotloop.worker.torch_operations import MOVES, OVERWRITES, is_view, only_makes

torch.set_num_threads(1)

WEIGHTS = 2
"""The first numbers of storages are those of the weights."""

WHOLE_NUMBERS = frozenset(
    {
        *("add", "sub", "mul", "floordiv", "mod", "neg", "pos", "getitem", "index"),
        *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_"),
    }
)
"""Functions of Python's `operator` that graphs contain for sizes."""

SYMBOLIC = frozenset({"sym_max", "sym_min", "sym_not", "sym_float", "sym_int", "sym_ite"})

REPLAYS: list[ServiceReplay] = []


class ServiceReplay(torch_replay.Replay):
    """A service's storages and graphs.

    graphs: numbers of those that ran. positions: of requests, that went through graphs.
    outside: an operation that computed with weights, or with what a graph made, beside graphs.
    """

    def __init__(self, weights: list[Tensor]) -> None:
        super().__init__(weights)
        self.width = len(weights[-1])
        self.graphs: set[int] = set()
        self.positions = 0
        self.outside = ""
        self._nodes: dict[int, list[Any]] = {}
        self._of_graphs: Counter[int] = Counter()
        self._computed = set(range(WEIGHTS))
        self._requested: set[int] = set()

    def request(self, x: Tensor, steps: list[Any]) -> Tensor:
        """Repeat the steps of a request and return its answer."""
        match steps:
            case [["input", int(number)], *rest, ["out", answer]]:
                self._storages[number] = x.untyped_storage()
                self._requested.add(number)
                self._of_graphs.clear()
                self.all(rest)
                # One graph may go on with what another one has made of the same positions.
                self.positions += max(self._of_graphs.values(), default=0)
                return self.decoded(answer)
            case _:
                raise ValueError("these are no steps of a request")

    def all(self, steps: Iterable[Any]) -> None:
        """Repeat steps."""
        for step in steps:
            match step:
                case ["graph", int(number), list(nodes)] if number not in self._nodes:
                    self._nodes[number] = nodes
                case ["run", int(number), given, list(results)]:
                    self._run(number, given, results)
                case _:
                    self._beside(step)

    def _run(self, number: int, given: Any, results: list[int]) -> None:
        self.graphs.add(number)
        read = _numbers(given)
        arguments = self.decoded(given)
        of_request = {
            self._number(each): each.numel() // self.width
            for each in arguments
            if isinstance(each, Tensor) and self._number(each) in self._requested
        }
        self._of_graphs[number] += sum(of_request.values())
        values = self._interpreted(self._nodes[number], arguments)
        self.keep([each for each in values if isinstance(each, Tensor)], results)
        self._computed.update(results)
        if read & self._requested:
            self._requested.update(results)

    def _number(self, tensor: Tensor) -> int:
        key = tensor.untyped_storage()._cdata
        return next(n for n, storage in self._storages.items() if storage._cdata == key)

    def _interpreted(self, nodes: list[Any], arguments: list[Any]) -> Any:
        values: list[Any] = []
        rest = iter(arguments)

        def meant(value: Any) -> Any:
            match value:
                case ["node", int(place)]:
                    return values[place]
                case ["list", list(each)]:
                    return [meant(one) for one in each]
                case _:
                    return self.decoded(value)

        for kind, name, given, named in nodes:
            if kind == "placeholder":
                values.append(next(rest))
            elif kind == "value":
                values.append(self.decoded(given))
            elif kind == "output":
                (results,) = meant(given)
                return results
            else:
                keywords = {key: meant(each) for key, each in named.items()}
                values.append(_function(name)(*meant(given), **keywords))
        raise ValueError("this graph has no output")

    def _beside(self, step: Any) -> None:
        """Do one step that is in no graph."""
        self.step(step, torch.no_grad())
        if step[0] != "call":
            return
        _, name, given, named, results = step
        function = torch_replay.operation(name)
        if only_makes(function):
            return
        read = _numbers(given) | _numbers(list(named.values()))
        if function._schema.is_mutable:
            results = [*results, *_numbers(given[1][:1])]
        if read & self._requested:
            self._requested.update(results)
        if read & self._computed:
            self._computed.update(results)
            if not self._moves(function, [self.decoded(given), *map(self.decoded, named.values())]):
                self.outside = self.outside or name.split(".")[1]

    def _moves(self, function: Any, arguments: Any) -> bool:
        """Whether an operation only moves elements, or changes each by itself."""
        name = function._schema.name.partition("::")[2]
        if is_view(function) or name in MOVES or name in OVERWRITES or name == "_to_copy":
            return True
        tensors = [each for each in tree_leaves(arguments) if isinstance(each, Tensor)]
        return torch.Tag.pointwise in function.tags and sum(t.numel() > 1 for t in tensors) <= 1


def begin(seed: int, width: int, steps: str) -> None:
    """Start over with the weights of this seed, and repeat what making the service did."""
    rng = np.random.default_rng(seed)
    up = torch.from_numpy(rng.standard_normal((width, width)).astype(np.float32))
    down = torch.from_numpy(rng.standard_normal(width).astype(np.float32))
    REPLAYS[:] = [ServiceReplay([up, down])]
    with torch.no_grad():
        REPLAYS[0].all(torch_replay.unpacked(steps))


@torch.no_grad()
def answer(x: Tensor, strided: bool, steps: str, out: Tensor) -> None:
    """Repeat the steps of a request for `x`."""
    x = x.transpose(0, 1).contiguous().transpose(0, 1) if strided else x.clone()
    out.copy_(REPLAYS[0].request(x, torch_replay.unpacked(steps)))


def counts() -> list[Any]:
    """Return graphs, positions in them, and what computed beside them, since `begin`."""
    replay = REPLAYS[0]
    return [len(replay.graphs), replay.positions, replay.outside]


def _function(name: str) -> Any:
    module, _, rest = name.partition(".")
    if module == "operator" and rest in WHOLE_NUMBERS:
        return getattr(operator, rest)
    if module == "torch" and rest in SYMBOLIC:
        return getattr(torch, rest)
    return torch_replay.operation(name)


def _numbers(value: Any) -> set[int]:
    """Return the numbers of the storages of all tensors in an encoded value."""
    match value:
        case ["tensor", int(number), *_]:
            return {number}
        case list():
            return set[int]().union(*map(_numbers, value))
        case _:
            return set()
