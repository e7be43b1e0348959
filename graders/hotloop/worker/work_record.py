"""Records which operations of PyTorch and which Triton kernels compute a call, and how much.

This runs in the submission's process, so it is evidence about honest code: code that means to can
change what is recorded.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from hotloop.core.wire import Message
from hotloop.worker.triton_modules import interpreter
from hotloop.worker.triton_programs import replaced

torch: Any = importlib.import_module("torch")  # torch publishes few types

MOST = 64
"""Most operations that are told, the largest first."""

MOST_ADDRESSES = 4096

_GLUE = frozenset(
    {
        *("copy_", "clone", "_to_copy", "cat", "stack", "fill_", "zero_", "detach", "lift_fresh"),
        *("arange", "constant_pad_nd", "item", "_local_scalar_dense", "scalar_tensor", "set_"),
        *("normal_", "uniform_", "repeat", "flip", "roll", "resize_", "contiguous", "randperm"),
        *("index_select", "_reshape_alias", "_unsafe_view", "is_same_size", "equal", "random_"),
    }
)
"""Operations that allocate, arrange or copy."""

_MADE = ("empty", "zeros", "ones", "full", "new_", "rand")


@dataclass
class Work:
    """What a call computed. operations: by name and line: calls, products' FLOP, bytes.

    kernels: by name: launches, FLOP of their `tl.dot`, bytes that they load and store.
    reaches: whether something that a kernel stored is in what was returned, itself or through
    operations; memory that a kernel wrote once counts as its own from then on.
    """

    file: str
    operations: dict[tuple[str, int], list[int]] = field(
        default_factory=dict[tuple[str, int], list[int]]
    )
    kernels: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    now: str = ""
    reaches: bool = False
    _stored: dict[int, Any] = field(default_factory=dict[int, Any])
    _launched: list[Any] = field(default_factory=list[Any])
    _addresses: set[int] = field(default_factory=set[int])

    def told(self) -> Message:
        """Return it as plain data."""
        operations = [[*key, *each] for key, each in self.operations.items()]
        operations.sort(key=lambda each: (each[3], each[4]), reverse=True)
        kernels = [[name, *each] for name, each in self.kernels.items()]
        told = {"operations": operations[:MOST], "kernels": kernels[:MOST]}
        return {**told, "reaches": self.reaches}

    def returned(self, result: Any) -> Any:
        """Note what a call returned, and return it."""
        tensors = _tensors(getattr(result, "parts", result))
        self.reaches |= any(map(self._holds, tensors))
        return result

    def follow(self, given: Sequence[Any], made: Sequence[Any]) -> None:
        """Note that an operation made tensors of others."""
        if any(map(self._holds, given)):
            self._store(each.untyped_storage() for each in made)

    def begin(self, name: str, arguments: Sequence[Any]) -> None:
        """Begin a launch."""
        self.now = name
        # A descriptor, or a wrapper of another type, has its tensor in `base`.
        tensors = _tensors([getattr(each, "base", each) for each in tree_leaves(arguments)])
        self._launched = [each.untyped_storage() for each in tensors]

    def stored(self, pointers: Any, mask: Any) -> None:
        """Note to which of the launch's tensors a kernel stores."""
        active = pointers.data[np.broadcast_to(mask.data, pointers.data.shape)]
        if active.size:
            at = int(active.flat[0])
            into = [s for s in self._launched if 0 <= at - s.data_ptr() < s.nbytes()]
            self._store(into)
            if not into and len(self._addresses) < MOST_ADDRESSES:
                self._addresses.add(at)  # as in a grouped product, whose tensors hold pointers

    def _holds(self, tensor: Any) -> bool:
        storage = tensor.untyped_storage()
        if int(storage._cdata) in self._stored:
            return True
        start = storage.data_ptr()
        return any(start <= at < start + storage.nbytes() for at in self._addresses)

    def _store(self, storages: Iterable[Any]) -> None:
        # Kept alive, so that no other memory gets the same number.
        self._stored.update((int(each._cdata), each) for each in storages)

    def line(self) -> int:
        """Return the line of the submission that is running; 0 if none of it is."""
        frame = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_filename.endswith(self.file):
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def add(self, flops: int = 0, moved: int = 0) -> None:
        """Add to the kernel that is running."""
        if self.now:
            amounts = self.kernels[self.now]
            amounts[1] += flops
            amounts[2] += moved


@contextmanager
def recorded(file: str, *, triton: bool) -> Generator[Work]:
    """Record what is computed inside the `with` block by code of `file`."""
    work = Work(file)
    with ExitStack() as stack:
        stack.enter_context(_Operations(work))
        if triton:
            stack.enter_context(_launches(work))
        yield work


class _Operations(TorchDispatchMode):
    def __init__(self, work: Work) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._work = work

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not self._work.now:
            given, made = _tensors((args, kwargs)), _tensors(result)
            self._work.follow(given, made)
            if line := self._work.line():
                self._note(func, line, args, kwargs or {}, result)
        return result

    def _note(self, func: Any, line: int, args: Any, kwargs: Any, result: Any) -> None:
        packet = func._overloadpacket
        name = packet.__name__
        given, made = _tensors((args, kwargs)), _tensors(result)
        places = {_place(each) for each in given}
        computes = func._schema.is_mutable or any(_place(each) not in places for each in made)
        if not computes or name in _GLUE or name.startswith(_MADE):
            return
        formula = flop_registry.get(packet)
        flops = int(formula(*args, **kwargs, out_val=result)) if formula else 0
        moved = sum(each.numel() * each.element_size() for each in (*given, *made))
        amounts = self._work.operations.setdefault((name, line), [0, 0, 0])
        for at, amount in enumerate((1, flops, moved)):
            amounts[at] += amount


def _tensors(values: Any) -> Sequence[Any]:
    return [each for each in tree_leaves(values) if isinstance(each, torch.Tensor)]


def _place(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


@contextmanager
def _launches(work: Work) -> Generator[None]:
    """Note every launch in the interpreter, what its kernel multiplies and which bytes it moves."""
    module = interpreter()
    kind, builder = module.InterpretedFunction, module.InterpreterBuilder
    run, dot = kind.run, builder.create_dot
    load, store = builder.create_masked_load, builder.create_masked_store
    rmw = builder.create_atomic_rmw

    def launch(kernel: Any, *args: Any, **options: Any) -> Any:
        before = work.now
        work.begin(kernel.__name__, [*args, *options.values()])
        work.kernels.setdefault(work.now, [0, 0, 0])[0] += not options.get("warmup")
        try:
            return run(kernel, *args, **options)
        finally:
            work.now = before

    def masked_load(self: Any, ptrs: Any, mask: Any, *more: Any, **named: Any) -> Any:
        work.add(moved=_moved(ptrs, mask))
        return load(self, ptrs, mask, *more, **named)

    def masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *more: Any) -> Any:
        work.add(moved=_moved(ptrs, mask))
        work.stored(ptrs, mask)
        return store(self, ptrs, value, mask, *more)

    def atomic(self: Any, operation: Any, ptr: Any, val: Any, mask: Any, *more: Any) -> Any:
        work.add(moved=2 * _moved(ptr, mask))
        work.stored(ptr, mask)
        return rmw(self, operation, ptr, val, mask, *more)

    def product(self: Any, a: Any, b: Any, *more: Any, **named: Any) -> Any:
        work.add(flops=2 * math.prod(a.data.shape) * int(b.data.shape[-1]))
        return dot(self, a, b, *more, **named)

    replacements: list[tuple[Any, str, Callable[..., Any]]] = [
        (kind, "run", launch),
        (builder, "create_dot", product),
        (builder, "create_masked_load", masked_load),
        (builder, "create_masked_store", masked_store),
        (builder, "create_atomic_rmw", atomic),
    ]
    with ExitStack() as stack:
        for owner, name, value in replacements:
            stack.enter_context(replaced(owner, name, value))
        yield


def _moved(pointers: Any, mask: Any) -> int:
    size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
    share = 1.0 if mask is None else float(mask.data.mean())
    return round(pointers.data.size * share) * size
