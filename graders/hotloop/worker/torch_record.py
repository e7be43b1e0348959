"""Records what a function computes with PyTorch, as a list that another process can repeat.

The list is made in the learner's process, so it proves nothing by itself. The judge has it repeated
on other numbers by `hotloop.worker.torch_replay`, in a process without the learner's code: a list
that gives right answers there is a right computation, whoever wrote it, and what is counted is
counted there.

Tensors are views of numbered storages, so that views and writes in place need no steps of their
own.
"""

import base64
import importlib
import json
import math
import zlib
from collections.abc import Callable, Iterable
from typing import Any, cast

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hotloop.core.wire import Message

torch: Any = importlib.import_module("torch")  # torch publishes few types

LEAVES = frozenset(
    {"numpy", "__array__", "tolist", "item", "data_ptr", "__dlpack__", "untyped_storage", "storage"}
)
"""Functions that pass a tensor's memory or numbers to code that this module cannot observe."""

CONSTANT_BYTES = 1 << 16
"""Bytes of the tensors together that a list may hold as they are."""


class Unfollowed(Exception):
    """An operation or a tensor that no list can hold."""


class RecordedFunction:
    """Calls the function and records each call in `notes`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.notes: list[Message] = []

    def __call__(self, *arguments: Any) -> Any:
        """Call the function with the same arguments and return its result."""
        recorder = Recorder([a for a in arguments if isinstance(a, torch.Tensor)])
        exits = _Exits()
        with exits, recorder:
            value = self._function(*arguments)
        self.notes.append({"steps": recorder.returned(value), "exit": exits.name})
        return value


class Recorder(TorchDispatchMode):
    """The steps of all calls that are made while it is entered.

    A step is a list: ["constant", storage, base64], ["call", operation, arguments, named
    arguments, storages of the results], or one of a subclass.
    inputs: tensors that whoever repeats the steps has under the numbers 0, 1, …
    """

    def __init__(self, inputs: Iterable[Any]) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.steps: list[Any] = []
        self.unfollowed = ""
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        self._constant_bytes = 0
        for tensor in inputs:
            self.number(tensor)

    def returned(self, value: Any) -> str:
        """Return the steps and the tensor that they result in, packed; "" if there is no list."""
        try:
            answer = self.encoded(value) if isinstance(value, torch.Tensor) else None
        except Unfollowed:
            answer = None
        return "" if self.unfollowed or answer is None else packed([*self.steps, ["out", answer]])

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation and record it."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        try:
            self._record(func, args, kwargs, result)
        except Unfollowed as reason:
            self.unfollowed = self.unfollowed or str(reason)
        return result

    def _record(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        results = [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]
        read = {_key(t) for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)}
        if not func._schema.is_mutable and all(_key(each) in read for each in results):
            return  # a view, or a number
        arguments = self.encoded(list(args))
        named = {name: self.encoded(value) for name, value in kwargs.items()}
        self.steps.append(
            ["call", str(func), arguments, named, [self.number(each) for each in results]]
        )

    def number(self, tensor: Any) -> int:
        """Return the number of the tensor's storage; a new one if it has none."""
        key = _key(tensor)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._alive.append(tensor.detach())  # keeps its memory from being reused
        return self._numbers[key]

    def encoded(self, value: Any) -> Any:
        """Return a value as JSON. Raises Unfollowed for what has no such form."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, list | tuple):
            return ["list", [self.encoded(each) for each in cast(list[Any], value)]]
        if isinstance(value, torch.dtype):
            return ["dtype", str(value).removeprefix("torch.")]
        if isinstance(value, torch.memory_format):
            return ["memory_format", str(value).removeprefix("torch.")]
        if isinstance(value, torch.device | torch.layout):
            return None  # there is but one of each
        if isinstance(value, float) and not math.isfinite(value):
            return ["float", str(value)]
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise Unfollowed(type(value).__name__)

    def _tensor(self, tensor: Any) -> Any:
        if _key(tensor) not in self._numbers:
            self._constant(tensor)
        layout = (list(tensor.shape), list(tensor.stride()), int(tensor.storage_offset()))
        return ["tensor", self.number(tensor), str(tensor.dtype).removeprefix("torch."), *layout]

    def _constant(self, tensor: Any) -> None:
        storage = tensor.untyped_storage()
        self._constant_bytes += storage.nbytes()
        if self._constant_bytes > CONSTANT_BYTES:
            raise Unfollowed("a tensor that none of its operations made")
        content = base64.b64encode(bytes(storage.tolist())).decode()
        self.steps.append(["constant", self.number(tensor), content])


class _Exits(TorchFunctionMode):
    """Names the first function that passed a tensor to code outside of PyTorch."""

    name = ""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note the function if it is one of LEAVES, then run it."""
        name = getattr(func, "__name__", "")
        if name in LEAVES and not self.name:
            self.name = name
        return func(*args, **(kwargs or {}))


def packed(steps: list[Any]) -> str:
    """Return steps as text; they repeat themselves, and messages have a limit."""
    return base64.b64encode(zlib.compress(json.dumps(steps).encode())).decode()


def _key(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)
