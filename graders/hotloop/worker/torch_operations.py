"""Counts how often operations of PyTorch read each element of a tensor.

Every operation that PyTorch dispatches is observed. Each tensor has a shadow: an integer tensor
with, for each position, the index of the input element that is there. The counts are believed,
because they are made where none of the learner's code runs (`hotloop.worker.torch_replay`).
"""

import importlib
from collections.abc import Iterable
from functools import reduce
from typing import Any, cast

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hotloop.core.wire import Message

torch: Any = importlib.import_module("torch")  # torch publishes few types

RESIDENT = 8192
"""Reading an element counts again only if this many other elements were read in between."""

LAUNDERED = 16
"""A reduction's result with at least 1/16 of the elements read may be these in another form."""

MADE_LIKE = ("_like", "new_empty", "new_zeros", "new_ones", "new_full", "new_empty_strided")
MOVES = frozenset(
    {
        *("cat", "stack", "clone", "flip", "roll", "repeat", "repeat_interleave"),
        *("index", "index_select", "gather", "masked_select", "index_put", "index_put_"),
        *("slice_scatter", "select_scatter"),
    }
)
"""Operations whose result contains only elements of the arguments, rearranged."""

_POINTWISE = frozenset(
    {"copy_", "_to_copy", "masked_fill", "masked_fill_", "rsub", "where", "isnan", "isinf"}
)
"""Pointwise operations that PyTorch does not tag as pointwise."""

_SAME_MEMORY = frozenset({"_unsafe_view", "_reshape_alias", "lift_fresh"})
OVERWRITES = frozenset({"copy_", "fill_", "zero_"})
"""Operations that write their first argument without reading it."""

_NOWHERE = -1
"""Shadow of an element that was computed from the input but represents no single input element."""

_FOREIGN = -2
"""Shadow of an element that does not depend on the input."""


class Operations(TorchDispatchMode):
    """The reductions of one call, and how often they read each input element."""

    def __init__(self, x: Any) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._unfollowed = ""
        self._elements = int(x.numel())
        self._widest, self._widest_by = 0, ""
        self._reduced = 0
        self._last_read = torch.full((self._elements,), -RESIDENT, dtype=torch.int64)
        self._shadows: dict[int, Any] = {}
        self._alive: list[Any] = []
        ids = self._shadow(x, make=True)
        ids.copy_(torch.arange(self._elements, dtype=torch.int64).reshape(x.shape))

    def note(self) -> Message:
        """Return the record of the call.

        elements: number of input elements. widest: most elements (of the input, or computed from
        it) that one reduction read; widest_by: that operation. reduced: elements read by
        reductions. unfollowed: an operation whose reads are unknown, or "".
        """
        return {
            "elements": self._elements,
            "widest": self._widest,
            "widest_by": self._widest_by,
            "reduced": self._reduced,
            "unfollowed": self._unfollowed,
        }

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here, so PyTorch need not import TorchDynamo, which takes long."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation, record it, and track where the input's elements go."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func._schema.name.partition("::")[2]
        try:
            self._note(func, name, args, kwargs, result)
        except Exception:  # noqa: BLE001 - an operation of another kind must not fail for this
            self._unfollowed = self._unfollowed or name
        return result

    def _note(self, func: Any, name: str, args: Any, kwargs: Any, result: Any) -> None:
        if is_view(func) or name in _SAME_MEMORY or only_makes(func):
            return
        overwritten = args[0] if name in OVERWRITES else kwargs.get("out")
        read = [t for t in tree_leaves((args, kwargs)) if _is_tensor(t) and t is not overwritten]
        known = [t for t in read if self._key(t) in self._shadows]
        written = [t for t in tree_leaves(result) if _is_tensor(t)]
        if known:
            self._follow(func, name, args, kwargs, known, written)
        else:
            for tensor in written:
                if self._key(tensor) in self._shadows:
                    self._shadow(tensor).fill_(_FOREIGN)

    def _follow(
        self, func: Any, name: str, args: Any, kwargs: Any, known: list[Any], written: list[Any]
    ) -> None:
        if name in _POINTWISE or torch.Tag.pointwise in func.tags:
            self._write(written, reduce(torch.maximum, [self._shadow(t) for t in known]))
        elif name == "constant_pad_nd":
            self._write(written, func(self._shadow(args[0]), args[1], _FOREIGN))
        elif name in MOVES:
            shadows = {name: self._shadowed(value) for name, value in kwargs.items()}
            self._write(written, func(*self._shadowed(args), **shadows))
        else:
            seen = self._reduce(name, known)
            for tensor in written:
                self._shadow(tensor, make=True).copy_(_placeholder_for(seen, tensor))

    def _write(self, written: Iterable[Any], ids: Any) -> None:
        for tensor in written:
            self._shadow(tensor, make=True).copy_(ids)

    def _reduce(self, name: str, known: list[Any]) -> Any:
        """Count what a reduction reads. Return the input elements that it has read."""
        ids = torch.cat([self._shadow(t).reshape(-1) for t in known])
        computed = int((ids == _NOWHERE).sum())
        elements = torch.unique(ids[ids >= 0])
        if computed + len(elements) > self._widest:
            self._widest, self._widest_by = computed + len(elements), name
        missing = int((self._reduced - self._last_read[elements] >= RESIDENT).sum())
        self._reduced += missing
        self._last_read[elements] = self._reduced
        return elements

    def _shadowed(self, value: Any) -> Any:
        """Return the arguments with each floating-point tensor replaced by its shadow."""
        if _is_tensor(value) and value.is_floating_point():  # others are indices
            if self._key(value) in self._shadows:
                return self._shadow(value)
            return torch.full_like(value, _FOREIGN, dtype=torch.int64)
        if isinstance(value, list | tuple):
            return [self._shadowed(v) for v in cast(list[Any], value)]
        return value

    def _shadow(self, tensor: Any, *, make: bool = False) -> Any:
        """Return the shadow of this view: the input element at each of its positions."""
        key = self._key(tensor)
        if make and key not in self._shadows:
            self._alive.append(tensor)  # keeps its memory from being reused
            count = tensor.untyped_storage().nbytes() // tensor.element_size()
            self._shadows[key] = torch.full((count,), _FOREIGN, dtype=torch.int64)
        return self._shadows[key].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

    @staticmethod
    def _key(tensor: Any) -> int:
        return int(tensor.untyped_storage()._cdata)


def _placeholder_for(seen: Any, result: Any) -> Any:
    """Return the shadow of a reduction's result.

    A large result (see LAUNDERED) may encode the elements in another form, so its shadow still
    names the elements that were read.
    """
    count = result.numel()
    if count <= 1 or count * LAUNDERED < len(seen) or not len(seen):
        return torch.full(result.shape, _NOWHERE, dtype=torch.int64)
    return seen[torch.arange(count) * len(seen) // count].reshape(result.shape)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def is_view(func: Any) -> bool:
    """Return True if the results alias an argument's memory without writing it."""
    infos = [r.alias_info for r in func._schema.returns]
    return bool(infos) and all(i is not None and not i.is_write for i in infos)


def only_makes(func: Any) -> bool:
    """Return True if the operation takes no more than type and shape of its tensors."""
    return func._schema.name.endswith(MADE_LIKE)
