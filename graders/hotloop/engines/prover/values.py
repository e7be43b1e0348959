"""What an expression can be: integers, truths and pointers, alone or in blocks, and the unknown.

A block is a function from a lane's place to that lane's value, so that two uses of `tl.arange` on
one axis mean the same lane. `needs` are conditions under which a machine computes what the formula
says: that nothing overflows, and that `//` and `%` see no negative number. Whoever uses a formula
proves them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from hotloop.engines.prover.solver import Names, NotRead
from hotloop.engines.prover.z3_types import Formula, z3

Kind = Literal["int", "bool", "pointer", "unknown"]
Extent = Any
"""Of an axis: a Python int or an integer of z3."""
Place = tuple[Formula, ...]
Needs = Mapping[int, Formula]
Lane = tuple[Formula, Needs]

NOTHING: Needs = {}

Compute = Callable[[Any], Any] | Callable[[Any, Any], Any] | Callable[[Any, Any, Any], Any]
"""Of one, two or three formulas."""


@dataclass(frozen=True)
class Tensor:
    """Memory: axes, strides and the number of elements from the first to the last.

    argument: its number in the call; scratch: its number among those that the launcher made.
    disjoint: no two of its elements share memory. bytes_each: of an element, 0 if unknown.
    dtype: PyTorch's name, if the launcher says it.
    """

    name: str
    sizes: Sequence[Formula]
    strides: Sequence[Formula]
    argument: int | None = None
    scratch: int | None = None
    disjoint: bool = True
    filled: bool = False
    bytes_each: int = 0
    dtype: str = ""

    @property
    def contiguous(self) -> bool:
        """Return whether elements lie side by side, without gaps, in the order of the axes."""
        step: Any = z3.IntVal(1)
        for size, stride in zip(reversed(self.sizes), reversed(self.strides), strict=True):
            if not z3.simplify(stride - step).eq(z3.IntVal(0)):
                return False
            step = step * size
        return True

    @property
    def elements(self) -> Formula:
        """Elements without gaps."""
        total: Any = z3.IntVal(1)
        for size in self.sizes:
            total = total * size
        return z3.simplify(total)


def _none(_place: Place) -> Lane:
    raise NotRead("a value that is not known is used as an index")


@dataclass(frozen=True)
class Value:
    """A value in a kernel. shape: None if it is unknown, or fits any.

    data: on what it depends that a proof does not know, in words. masked: of what is loaded: the
    mask, and the number that stands where it is off.
    """

    kind: Kind
    shape: tuple[Extent, ...] | None = ()
    at: Callable[[Place], Lane] = _none
    bits: int | None = None
    tensor: Tensor | None = None
    data: frozenset[str] = field(default_factory=frozenset[str])
    masked: tuple["Value", int | float] | None = None


def unknown(*data: str) -> Value:
    """Return a value of which nothing is known."""
    return Value("unknown", None, data=frozenset(data))


def memo(at: Callable[[Place], Lane]) -> Callable[[Place], Lane]:
    """Compute each lane once, so that what is unknown of it is the same at each use."""
    known: dict[tuple[int, ...], tuple[Place, Lane]] = {}

    def cached(place: Place) -> Lane:
        key = tuple(each.get_id() for each in place)
        if key not in known:
            known[key] = (place, at(place))
        return known[key][1]

    return cached


def constant(value: bool | int) -> Value:
    """Return a Python number as a value."""
    if isinstance(value, bool):
        return Value("bool", (), lambda _: (z3.BoolVal(value), NOTHING))
    return Value("int", (), lambda _: (z3.IntVal(value), NOTHING))


def of_formula(formula: Formula, bits: int | None = None, needs: Needs = NOTHING) -> Value:
    """Return a scalar."""
    kind: Kind = "bool" if z3.is_bool(formula) else "int"
    return Value(kind, (), lambda _: (formula, needs), bits)


def as_value(value: Any) -> Value:
    """Return a Python value or a value as a value; floats, texts and None are unknown."""
    if isinstance(value, Value):
        return value
    if isinstance(value, int):
        return constant(value)
    return unknown()


def broadcast(shapes: Sequence[tuple[Extent, ...] | None]) -> tuple[Extent, ...] | None:
    """Return the shape that all of these have together; None if one is not known."""
    if any(shape is None for shape in shapes):
        return None
    rank = max(len(shape or ()) for shape in shapes)
    result: list[Extent] = [1] * rank
    for shape in shapes:
        for axis, extent in enumerate(shape or (), rank - len(shape or ())):
            if _is_one(extent):
                continue
            if not _is_one(result[axis]) and not _same(result[axis], extent):
                raise NotRead("two blocks have shapes of which I cannot say that they are the same")
            result[axis] = extent
    return tuple(result)


def _is_one(extent: Extent) -> bool:
    return isinstance(extent, int) and extent == 1


def _same(one: Extent, other: Extent) -> bool:
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    difference = z3.simplify(one - other)
    return bool(z3.is_int_value(difference)) and difference.as_long() == 0


def lane_at(value: Value, place: Place) -> Lane:
    """Return the lane of a block that is broadcast to a shape with this many axes."""
    shape = value.shape or ()
    own = place[len(place) - len(shape) :]
    return value.at(
        tuple(
            z3.IntVal(0) if _is_one(extent) else at for extent, at in zip(shape, own, strict=True)
        )
    )


def elementwise(
    kind: Kind,
    compute: Compute,
    *values: Value,
    bits: int | None = None,
    needs: Compute | None = None,
) -> Value:
    """Return a function of each lane's formulas. needs: conditions on formulas and the result."""
    shape = broadcast([value.shape for value in values])
    if shape is None:
        return unknown(*data_of(*values))

    def at(place: Place) -> Lane:
        lanes = [lane_at(value, place) for value in values]
        formulas = [lane[0] for lane in lanes]
        result = cast(Callable[..., Any], compute)(*formulas)
        together: dict[int, Formula] = {}
        for lane in lanes:
            together.update(lane[1])
        for need in cast(Callable[..., Any], needs or _no_needs)(*formulas, result):
            together[need.get_id()] = need
        return result, together

    return Value(kind, shape, memo(at), bits, data=data_of(*values))


def _no_needs(*_formulas: Formula) -> list[Formula]:
    return []


def data_of(*values: Value) -> frozenset[str]:
    """Return on what these depend that is not known."""
    return frozenset[str]().union(*(value.data for value in values))


def in_range(formula: Formula, bits: int | None) -> list[Formula]:
    """Return the condition that a signed integer of this size holds the formula."""
    if bits is None or z3.is_int_value(formula):
        return []
    return [z3.And(formula >= -(1 << (bits - 1)), formula < (1 << (bits - 1)))]


def _wider(*values: Value) -> int | None:
    known = [value.bits for value in values if value.bits is not None]
    return max(known) if known else None


def _as_int(value: Value) -> Value:
    if value.kind == "bool":
        # An `int1` in arithmetic with an integer becomes that integer's type.
        return elementwise("int", lambda a: z3.If(a, z3.IntVal(1), z3.IntVal(0)), value)
    return value


def _integers(*values: Value) -> bool:
    return all(value.kind in {"int", "bool"} for value in values)


class Arithmetic:
    """Python's operators on values. host: on the host, where integers do not overflow."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def binary(self, operator: str, left: Any, right: Any) -> Value:
        """Return `left operator right`, by the name of Python's node, such as "Add"."""
        a, b = as_value(left), as_value(right)
        if "pointer" in {a.kind, b.kind}:
            return self._move(operator, a, b)
        if operator in {"BitAnd", "BitOr", "BitXor", "Mult"} and {a.kind, b.kind} <= {
            "bool",
            "unknown",
        }:
            return self._logic(operator, a, b)
        if not _integers(a, b):
            return unknown(*data_of(a, b))
        if a.kind == b.kind == "bool":
            # Two `int1` add without a carry.
            return unknown("truths that are added", *data_of(a, b))
        return self._integer(operator, _as_int(a), _as_int(b))

    def _integer(self, operator: str, a: Value, b: Value) -> Value:
        bits = _wider(a, b)

        def fits(_a: Formula, _b: Formula, result: Formula) -> list[Formula]:
            return in_range(result, bits)

        simple: dict[str, Callable[[Any, Any], Any]] = {
            "Add": lambda x, y: x + y,
            "Sub": lambda x, y: x - y,
            "Mult": lambda x, y: x * y,
        }
        if operator in simple:
            return elementwise("int", simple[operator], a, b, bits=bits, needs=fits)
        if operator in {"FloorDiv", "Mod"}:
            which = 0 if operator == "FloorDiv" else 1

            def positive(x: Formula, y: Formula, _result: Formula) -> list[Formula]:
                # Triton rounds towards zero, Python down; they agree from 0 on.
                return [y > 0] if bits is None else [y > 0, x >= 0]

            return elementwise(
                "int", lambda x, y: self.names.divide(x, y)[which], a, b, bits=bits, needs=positive
            )
        number = _known(b)
        if operator == "LShift" and number is not None and 0 <= number < 31:
            return self._integer("Mult", a, constant(1 << number))
        if operator == "RShift" and number is not None and 0 <= number < 31:
            step = z3.IntVal(1 << number)
            return elementwise("int", lambda x: self.names.divide(x, step)[0], a, bits=bits)
        if operator == "BitAnd" and number is not None and number >= 0 and not number & number + 1:
            step = z3.IntVal(number + 1)
            return elementwise("int", lambda x: self.names.divide(x, step)[1], a, bits=bits)
        return unknown(*data_of(a, b))

    def _logic(self, operator: str, a: Value, b: Value) -> Value:
        if a.kind == b.kind == "bool":
            compute: dict[str, Callable[[Any, Any], Any]] = {
                "BitAnd": z3.And,
                "Mult": z3.And,
                "BitOr": z3.Or,
                "BitXor": z3.Xor,
            }
            return elementwise("bool", compute[operator], a, b)
        known = a if a.kind == "bool" else b
        if operator != "BitAnd" or known.kind != "bool" or known.shape is None:
            return unknown(*data_of(a, b))
        # What is unknown can only take lanes away.
        both = elementwise("bool", lambda x: z3.And(x, self.names.truth()), known)
        return replace(both, data=data_of(a, b))

    def _move(self, operator: str, a: Value, b: Value) -> Value:
        pointer, step = (a, b) if a.kind == "pointer" else (b, a)
        wrong_way = operator == "Sub" and b.kind == "pointer"
        if step.kind == "pointer" or operator not in {"Add", "Sub"} or wrong_way:
            raise NotRead("pointers are combined in a way that I do not follow")
        data = data_of(a, b)
        if step.kind == "unknown" or pointer.shape is None:
            anywhere = memo(lambda _: (self.names.integer("anywhere"), NOTHING))
            data = data or frozenset({"a value that I do not follow"})
            return Value("pointer", None, anywhere, tensor=pointer.tensor, data=data)
        step = _as_int(step)
        sign = -1 if operator == "Sub" else 1
        moved = elementwise("pointer", lambda x, y: x + sign * y, pointer, step)
        return replace(moved, tensor=pointer.tensor, data=data)

    def compare(self, operator: str, left: Any, right: Any) -> Value:
        """Return `left operator right`, by the name of Python's node, such as "Lt"."""
        a, b = as_value(left), as_value(right)
        if a.masked is not None and isinstance(right, int | float):
            return self._compare_data(operator, a, a.masked, right)
        if not _integers(a, b):
            return unknown(*data_of(a, b))
        compute: dict[str, Callable[[Any, Any], Any]] = {
            "Lt": lambda x, y: x < y,
            "LtE": lambda x, y: x <= y,
            "Gt": lambda x, y: x > y,
            "GtE": lambda x, y: x >= y,
            "Eq": lambda x, y: x == y,
            "NotEq": lambda x, y: x != y,
        }
        if operator not in compute:
            raise NotRead(f"`{operator}` of values")
        return elementwise("bool", compute[operator], _as_int(a), _as_int(b))

    def _compare_data(
        self, operator: str, data: Value, masked: tuple[Value, int | float], number: float
    ) -> Value:
        """Compare what is loaded: nothing is known of it but where the mask is off."""
        mask, other = masked
        holds: dict[str, Callable[[Any, Any], bool]] = {
            "Lt": lambda x, y: x < y,
            "LtE": lambda x, y: x <= y,
            "Gt": lambda x, y: x > y,
            "GtE": lambda x, y: x >= y,
            "Eq": lambda x, y: x == y,
            "NotEq": lambda x, y: x != y,
        }
        if operator not in holds:
            raise NotRead(f"`{operator}` of values")
        off = z3.BoolVal(holds[operator](other, number))
        compared = elementwise("bool", lambda on: z3.If(on, self.names.truth(), off), mask)
        return replace(compared, data=data.data | mask.data)

    def negate(self, value: Value) -> Value:
        """Return `-value`."""
        if value.kind != "int":
            return unknown(*value.data)
        return self._integer("Sub", constant(0), value)

    def invert(self, value: Value) -> Value:
        """Return `not value`, or `~value` of a truth."""
        if value.kind != "bool":
            return unknown(*value.data)
        return elementwise("bool", z3.Not, value)

    def choose(self, condition: Any, left: Any, right: Any) -> Value:
        """Return `tl.where`."""
        c, a, b = as_value(condition), as_value(left), as_value(right)
        if "pointer" in {a.kind, b.kind} and (a.kind != b.kind or a.tensor is not b.tensor):
            raise NotRead("a pointer is one of two tensors'")
        data = data_of(c, a, b)
        if "unknown" in {a.kind, b.kind}:
            return unknown(*data)
        if c.kind == "unknown":
            c = replace(
                elementwise("bool", lambda _: self.names.truth(), self._like(a, b)), data=data
            )
        if c.kind == "int":
            c = elementwise("bool", lambda x: x != 0, c)
        if a.kind != b.kind:
            a, b = _as_int(a), _as_int(b)
        kind = a.kind
        result = elementwise(kind, z3.If, c, a, b, bits=_wider(a, b))
        return replace(result, tensor=a.tensor, data=data)

    @staticmethod
    def _like(a: Value, b: Value) -> Value:
        shape = broadcast([a.shape, b.shape])
        return Value("bool", shape, lambda _: (z3.BoolVal(True), NOTHING))

    def extreme(self, least: bool, left: Any, right: Any) -> Value:
        """Return `tl.minimum` if `least`, else `tl.maximum`."""
        a, b = as_value(left), as_value(right)
        if not _integers(a, b):
            return unknown(*data_of(a, b))
        a, b = _as_int(a), _as_int(b)
        return elementwise(
            "int",
            lambda x, y: z3.If((x < y) if least else (x > y), x, y),
            a,
            b,
            bits=_wider(a, b),
        )

    def cast(self, value: Value, dtype: str) -> Value:
        """Return `value.to(dtype)`. dtype: the last part of its name, such as "int64"."""
        if value.kind == "pointer":
            raise NotRead("a pointer is made one of another type")
        if not _integers(value):
            return unknown(*value.data)
        if dtype in {"int1", "bool"}:
            if value.kind == "bool":
                return value
            return elementwise("bool", lambda x: x != 0, value)
        sizes = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
        if dtype not in sizes:
            return unknown(*value.data)
        bits = sizes[dtype]
        return elementwise(
            "int", lambda x: x, _as_int(value), bits=bits, needs=lambda x, _: in_range(x, bits)
        )


def _known(value: Value) -> int | None:
    if value.kind != "int" or value.shape != ():
        return None
    formula = z3.simplify(value.at(())[0])
    return int(formula.as_long()) if z3.is_int_value(formula) else None


def as_number(value: Any) -> int | None:
    """Return the Python number that a value is, or None."""
    if isinstance(value, bool):
        return None
    return value if isinstance(value, int) else _known(value) if isinstance(value, Value) else None
