"""Records which operators a step launches, and repeats them: what a CUDA graph does, on a CPU.

Python runs once. What is repeated afterwards is a list of operators with their tensors, always the
same ones: the same memory, the same sizes, the same numbers that Python has put in. As on a GPU, a
recording cannot wait for a value, since nothing is computed for real while it is made there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

Op = list[Any]
"""[name, arguments, named arguments, numbers of the results]; a tensor is {"tensor": number}."""

WAITS = ("_local_scalar_dense", "nonzero", "masked_select", "is_nonzero", "equal", "unique", "item")
"""In an operator's name: the host must know a value, or how many there are, before it goes on."""

INDEXING = ("index", "index_put", "index_put_")
"""With flags as an index they have to count them first."""

NO_KERNEL = ("empty", "new_empty", "_unsafe_view", "lift_fresh", "_reshape_alias")
"""What only takes memory, or looks at it in another way without its schema saying so."""

NOT_MADE = (
    "a tensor comes up that no recorded operator has made: make constants with torch.full, "
    "torch.arange and the like instead of torch.tensor"
)

NAMED = (torch.dtype, torch.layout, torch.memory_format)


@dataclass
class Recording:
    """once: what prepares; each: what every step repeats. tensors: all of them, by number."""

    once: list[Op]
    each: list[Op]
    tensors: dict[int, Tensor]

    @property
    def launches(self) -> int:
        """Kernels of a step: operators that compute something, and are no view."""
        return sum(launches(op[0]) for op in self.each)

    @torch.no_grad()
    def replay(self) -> None:
        """One step, without the Python that was recorded."""
        repeat(self.each, self.tensors)


@torch.no_grad()
def record(
    prepare: Callable[..., Any],
    step: Callable[..., Any],
    weights: dict[str, Tensor],
    token: Tensor,
    place: Tensor,
    cache: Tensor,
    out: Tensor,
) -> Recording:
    """Run both once, and write down what they launch."""
    given = [*weights.values(), token, place, cache, out]
    recorder = Recorder(given)
    with recorder:
        ready = prepare(weights, cache)
    once, recorder.ops = recorder.ops, []
    with recorder:
        step(ready, token, place, cache, out)
    return Recording(once, recorder.ops, dict(enumerate(recorder.kept)))


class Recorder(TorchDispatchMode):
    """Sees each operator below autograd."""

    def __init__(self, given: Iterable[Tensor]) -> None:
        super().__init__()
        self.ops: list[Op] = []
        # Kept alive, so that no number is given twice.
        self.kept: list[Tensor] = []
        self.numbers: dict[int, int] = {}
        for tensor in given:
            self._number(tensor)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run it, and write it down."""
        kwargs = kwargs or {}
        require_no_wait(func, args)
        op = [str(func), self._plain(args), {k: self._plain(v) for k, v in kwargs.items()}]
        result = func(*args, **kwargs)
        self.ops.append([*op, [self._number(tensor) for tensor in _flat(result)]])
        return result

    def _number(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        if id(tensor) not in self.numbers:
            self.numbers[id(tensor)] = len(self.kept)
            self.kept.append(tensor)
        return self.numbers[id(tensor)]

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            if id(value) not in self.numbers:
                raise RuntimeError(NOT_MADE)
            return {"tensor": self.numbers[id(value)]}
        if isinstance(value, (list, tuple)):
            return [self._plain(each) for each in value]
        if isinstance(value, torch.device):
            return {"device": str(value)}
        if isinstance(value, NAMED):
            return {"torch": str(value).removeprefix("torch.")}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise RuntimeError(f"a recording cannot hold {type(value).__name__}")


def repeat(ops: Iterable[Op], tensors: dict[int, Tensor]) -> None:
    """Launch what was recorded, on the tensors of these numbers."""
    for name, args, kwargs, results in ops:
        given = {key: _meant(value, tensors) for key, value in kwargs.items()}
        made = operator(name)(*_meant(args, tensors), **given)
        both = zip(results, _flat(made), strict=True)
        tensors.update({number: tensor for number, tensor in both if number is not None})


def operator(name: str) -> Any:
    """By its full name, such as aten.add.Tensor."""
    found = re.fullmatch(r"aten\.(\w+)\.(\w+)", name)
    if found is None:
        raise RuntimeError(f"{name} is none of PyTorch's own operators")
    return getattr(getattr(torch.ops.aten, found[1]), found[2])


def launches(name: str) -> bool:
    """Whether an operator computes something, instead of looking at memory in another way."""
    if name.split(".")[1].startswith(NO_KERNEL):
        return False
    aliases = [result.alias_info for result in operator(name)._schema.returns]
    return not any(alias is not None and not alias.is_write for alias in aliases)


def require_no_wait(func: Any, args: tuple[Any, ...]) -> None:
    """Raise RuntimeError if the host has to know a value before this operator can go on."""
    name = str(func).split(".")[1]
    if any(part in name for part in WAITS) or (name in INDEXING and _by_flags(args[1])):
        raise RuntimeError(
            f"{func} has to know values before it can go on; a recording cannot wait for them"
        )


def _by_flags(indices: Iterable[Tensor | None]) -> bool:
    return any(index is not None and index.dtype is torch.bool for index in indices)


def _flat(result: Any) -> list[Tensor | None]:
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in _flat(part)]
    return [result if isinstance(result, Tensor) else None]


def _meant(value: Any, tensors: dict[int, Tensor]) -> Any:
    if isinstance(value, list):
        return [_meant(each, tensors) for each in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]]
    return torch.device(value["device"]) if "device" in value else getattr(torch, value["torch"])
