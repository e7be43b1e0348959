"""What Triton's functions mean for indices; those that compute floats give something unknown."""

# What is read can be of any type: a tuple of the file's holds anything.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hotloop.engines.prover.module import Dotted
from hotloop.engines.prover.solver import NotRead
from hotloop.engines.prover.values import (
    NOTHING,
    Extent,
    Place,
    Value,
    as_number,
    as_value,
    data_of,
    elementwise,
    memo,
    unknown,
)

if TYPE_CHECKING:
    from hotloop.engines.prover.kernel import Kernel
from hotloop.engines.prover.z3_types import z3

_TRITON = ("triton.language.math.", "triton.language.standard.", "triton.language.", "triton.")

_FLOATS = frozenset(
    [
        "abs",
        "ceil",
        "cos",
        "div_rn",
        "erf",
        "exp",
        "exp2",
        "fdiv",
        "floor",
        "fma",
        "log",
        "log2",
        "rsqrt",
        "sin",
        "sqrt",
        "sqrt_rn",
        "umulhi",
        "dot",
        "dot_scaled",
        "sigmoid",
        "softmax",
        "sum",
        "max",
        "min",
        "argmax",
        "argmin",
        "reduce",
        "associative_scan",
        "cumsum",
        "cumprod",
        "xor_sum",
        "reduce_or",
        "sort",
        "topk",
        "flip",
        "histogram",
        "gather",
        "rand",
        "rand4x",
        "randn",
        "randn4x",
        "randint",
        "randint4x",
        "philox",
        "uint_to_uniform_float",
        "pair_uniform_to_normal",
        "clamp",
        "cat",
        "interleave",
        "join",
        "split",
        "ravel",
        "tanh",
        "pow",
        "rint",
        "round",
        "trunc",
        "isnan",
        "isinf",
        "next_power_of_2",
        "to_tensor",
        "bitonic_merge",
    ]
)
"""Functions that access no memory and whose results nobody indexes with."""

_INDICES = frozenset(
    [
        "program_id",
        "num_programs",
        "arange",
        "zeros",
        "zeros_like",
        "full",
        "where",
        "minimum",
        "maximum",
        "cdiv",
        "constexpr",
        "cast",
        "trans",
        "permute",
        "broadcast_to",
        "expand_dims",
        "reshape",
        "view",
        "swizzle2d",
    ]
)
"""Functions whose results are places and masks; each has a method below."""

_NOTHING = frozenset(
    ["static_assert", "static_print", "device_assert", "device_print", "debug_barrier", "assume"]
)
_ATOMICS = frozenset(
    [
        "atomic_add",
        "atomic_and",
        "atomic_cas",
        "atomic_max",
        "atomic_min",
        "atomic_or",
        "atomic_xchg",
        "atomic_xor",
    ]
)
_METHODS = _FLOATS | {"logical_and", "logical_or", "item"}
_HINTS = frozenset({"multiple_of", "max_contiguous", "max_constancy"})


class Language:
    """Functions of `triton.language`, and attributes and methods of blocks."""

    def __init__(self, kernel: "Kernel") -> None:
        self._kernel = kernel

    def call(self, path: Dotted, arguments: list[Any], named: dict[str, Any]) -> Any:  # noqa: C901
        """Return what a library's function returns."""
        if path.startswith("builtins."):
            return self._builtin(path.partition(".")[2], arguments)
        if "libdevice." in path:
            return unknown(*_data(arguments))
        prefix = next((each for each in _TRITON if path.startswith(each)), "")
        name = path[len(prefix) :]
        if not prefix or "." in name:
            values = [*arguments, *named.values()]
            if any(isinstance(each, Value) and each.kind == "pointer" for each in values):
                raise NotRead(f"a call of `{path}`")
            return unknown(f"what `{path}` returns", *_data(values))  # no memory without a pointer
        if name in {"load", "store"} or name in _ATOMICS:
            return self._memory(name, arguments, named)
        if name in _NOTHING:
            return None
        if name in _HINTS:
            return arguments[0]
        if name in _INDICES:
            return getattr(self, f"_{name}")(*arguments, **named)
        if name in _FLOATS:
            return unknown(*_data(arguments))
        if name in {"float16", "float32", "float64", "bfloat16", "int32", "int64"}:
            return self._cast(arguments[0], path)
        raise NotRead(f"`tl.{name}`")

    def method(self, value: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Return what a method of a block returns."""
        if not isinstance(value, Value):
            raise NotRead(f"a method `{name}`")
        if name in {"load", "store", *_ATOMICS}:
            raise NotRead(f"the method `{name}`: only functions of `tl` are followed")
        if value.kind == "unknown" or name in _METHODS:
            return unknown(*_data([value, *arguments]))
        methods = {
            "to": self._cast,
            "cast": self._cast,
            "trans": self._trans,
            "permute": self._permute,
            "broadcast_to": self._broadcast_to,
            "expand_dims": self._expand_dims,
            "reshape": self._reshape,
            "view": self._reshape,
            "cdiv": self._cdiv,
        }
        if name not in methods:
            raise NotRead(f"the method `{name}`")
        return methods[name](value, *arguments, **named)

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a block."""
        if isinstance(value, Value):
            if name == "shape" and value.shape is not None:
                return tuple(value.shape)
            if name == "T":
                return self._trans(value)
            if name in {"dtype", "type", "shape", "element_ty", "numel"}:
                return unknown()
            if name == "value":
                return value
        elif name == "value":
            return value
        raise NotRead(f"the attribute `{name}`")

    def indexed(self, value: Value, index: ast.expr) -> Value:
        """Return `value[:, None]`."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        axes: list[int | None] = []
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is None:
                axes.append(None)
            elif isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
                axes.append(sum(axis is not None for axis in axes))
            else:
                raise NotRead("an index into a block")
        shape = value.shape or ()
        if sum(axis is not None for axis in axes) != len(shape):
            raise NotRead("an index with another number of axes than its block")
        return _rearrange(value, axes)

    # --- functions by name: each has Triton's parameters ---------------------------------------

    def _memory(self, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        masked = {"load": 1, "store": 2}.get(name, 2)
        if set(named) & {"boundary_check", "padding_option"}:
            raise NotRead("a block pointer")
        for_mask = arguments[masked] if len(arguments) > masked else named.get("mask")
        if name == "atomic_cas":
            for_mask = None
        pointer = arguments[0] if arguments else named.get("pointer", named.get("ptr"))
        kind = name if name in {"load", "store"} else "atomic"
        self._kernel.access(kind, pointer, for_mask)
        if name == "store":
            return None
        where = pointer.tensor.name if isinstance(pointer, Value) and pointer.tensor else "memory"
        loaded = unknown(f"what it loads from `{where}`")
        other = arguments[2] if len(arguments) > 2 else named.get("other")
        known = isinstance(for_mask, Value) and for_mask.kind == "bool"
        # The type of a tensor may turn a number into another, but not these.
        if name == "load" and known and type(other) in {int, float} and other in {0, 1}:
            return replace(loaded, masked=(for_mask, other))
        return loaded

    def _program_id(self, axis: Any) -> Value:
        return self._kernel.program(axis)

    def _num_programs(self, axis: Any) -> Value:
        return self._kernel.count(axis)

    def _arange(self, start: Any, end: Any) -> Value:
        low, high = (_extent(each) for each in (start, end))
        extent = high - low
        return Value("int", (extent,), memo(lambda place: (low + place[0], NOTHING)), 32)

    def _zeros(self, shape: Any, dtype: Any = None) -> Value:
        return self._full(shape, 0, dtype)

    def _zeros_like(self, value: Any) -> Value:
        return unknown() if not isinstance(value, Value) else unknown(*value.data)

    def _full(self, shape: Any, value: Any, dtype: Any = None) -> Value:
        number = as_number(value)
        sizes = {"triton.language.int32": 32, "triton.language.int64": 64}
        if number is None or not isinstance(shape, tuple) or dtype not in sizes:
            return unknown(*_data([value]))
        formula = z3.IntVal(number)
        extents = tuple(_extent(each) for each in shape)
        return Value("int", extents, lambda _: (formula, NOTHING), sizes[dtype])

    def _where(self, condition: Any, x: Any, y: Any) -> Value:
        return self._kernel.arithmetic.choose(condition, x, y)

    def _minimum(self, x: Any, y: Any, **_nan: Any) -> Value:
        return self._kernel.arithmetic.extreme(True, x, y)

    def _maximum(self, x: Any, y: Any, **_nan: Any) -> Value:
        return self._kernel.arithmetic.extreme(False, x, y)

    def _cdiv(self, x: Any, div: Any) -> Any:
        kernel = self._kernel
        above = kernel.operate("Sub", kernel.operate("Add", x, div), 1)
        return kernel.operate("FloorDiv", above, div)

    def _constexpr(self, value: Any) -> Any:
        return value

    def _cast(self, value: Any, dtype: Any, bitcast: Any = False, **_rounding: Any) -> Value:
        one = as_value(value)
        if bitcast is not False or not isinstance(dtype, Dotted):
            return unknown(*one.data) if one.kind != "pointer" else self._no_pointer()
        return self._kernel.arithmetic.cast(one, dtype.rpartition(".")[2])

    def _trans(self, value: Any, *order: Any) -> Value:
        one = as_value(value)
        if one.kind == "unknown" or one.shape is None:
            return replace(one, masked=None)
        axes = order[0] if order and isinstance(order[0], tuple) else order
        return self._reorder(one, axes or tuple(reversed(range(len(one.shape)))))

    def _permute(self, value: Any, *order: Any) -> Value:
        one = as_value(value)
        if one.kind == "unknown" or one.shape is None:
            return replace(one, masked=None)
        return self._reorder(one, order[0] if isinstance(order[0], tuple) else order)

    def _broadcast_to(self, value: Any, *shape: Any) -> Value:
        one = as_value(value)
        extents = shape[0] if shape and isinstance(shape[0], tuple) else shape
        if one.kind == "unknown" or one.shape is None:
            return replace(one, masked=None)
        whole = Value(
            "bool", tuple(_extent(each) for each in extents), lambda _: (z3.BoolVal(True), NOTHING)
        )
        spread = elementwise(one.kind, lambda x, _: x, one, whole, bits=one.bits)
        return replace(spread, tensor=one.tensor, data=one.data)

    def _expand_dims(self, value: Any, axis: Any) -> Value:
        one = as_value(value)
        if one.kind == "unknown" or one.shape is None:
            return replace(one, masked=None)
        rank = len(one.shape) + 1
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise NotRead("tl.expand_dims")
        axes: list[int | None] = list(range(len(one.shape)))
        axes.insert(axis % rank, None)
        return _rearrange(one, axes)

    def _reshape(self, value: Any, *_shape: Any, **_options: Any) -> Value:
        one = as_value(value)
        return unknown("a block that is reshaped", *one.data)

    def _view(self, value: Any, *shape: Any) -> Value:
        return self._reshape(value, *shape)

    def _swizzle2d(self, *arguments: Any) -> Any:
        kernel = self._kernel
        i, j, size_i, size_j, size_g = arguments
        ij = kernel.operate("Add", kernel.operate("Mult", i, size_j), j)
        group_size = kernel.operate("Mult", size_g, size_j)
        group = kernel.operate("FloorDiv", ij, group_size)
        first = kernel.operate("Mult", group, size_g)
        height = self._minimum(kernel.operate("Sub", size_i, first), size_g)
        within = kernel.operate("Mod", ij, group_size)
        row = kernel.operate("Add", first, kernel.operate("Mod", within, height))
        return row, kernel.operate("FloorDiv", within, height)

    # -------------------------------------------------------------------------------------------

    @staticmethod
    def _no_pointer() -> Value:
        raise NotRead("a pointer is made one of another type")

    @staticmethod
    def _reorder(value: Value, order: Any) -> Value:
        shape = value.shape or ()
        if not all(isinstance(axis, int) for axis in order) or sorted(order) != [
            *range(len(shape))
        ]:
            raise NotRead("tl.permute")

        def at(place: Place) -> Any:
            own: list[Any] = [None] * len(shape)
            for new, old in enumerate(order):
                own[old] = place[new]
            return value.at(tuple(own))

        return replace(value, shape=tuple(shape[axis] for axis in order), at=memo(at))

    def _builtin(self, name: str, arguments: list[Any]) -> Any:
        if name in {"min", "max"} and len(arguments) == 2:
            if not any(isinstance(each, Value) for each in arguments):
                return min(arguments) if name == "min" else max(arguments)
            return self._kernel.arithmetic.extreme(name == "min", *arguments)
        if name in {"float", "print"}:
            return unknown(*_data(arguments))
        if name == "int" and len(arguments) == 1 and isinstance(arguments[0], int):
            return arguments[0]
        if name == "len" and isinstance(arguments[0], tuple):
            return len(arguments[0])
        raise NotRead(f"a call of `{name}`")


def _rearrange(value: Value, axes: list[int | None]) -> Value:
    """Return the block with new axes of extent 1 where `axes` has None."""
    shape: tuple[Extent, ...] = value.shape or ()

    def at(place: Place) -> Any:
        old = [one for one, axis in zip(place, axes, strict=True) if axis is not None]
        return value.at(tuple(old))

    new = tuple(1 if axis is None else shape[axis] for axis in axes)
    return replace(value, shape=new, at=memo(at))


def _extent(value: Any) -> Any:
    """Return an axis's extent: a Python int, or a formula."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Value) and value.kind == "int" and value.shape == ():
        formula, needs = value.at(())
        if needs:
            raise NotRead("an extent that is computed in a kernel")
        return formula
    if z3.is_expr(value):
        return value
    raise NotRead("an extent that is not a number")


def _data(values: list[Any]) -> frozenset[str]:
    return data_of(*(each for each in values if isinstance(each, Value)))
