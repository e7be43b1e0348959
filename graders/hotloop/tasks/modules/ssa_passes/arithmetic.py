"""Exact semantics of the operations of the small language.

int: 64 bits in two's complement, which wrap. `div` and `mod` round down as in Python; a zero
divisor is a trap, which is observable. float: IEEE double; nothing traps, 1.0 / 0.0 is inf. A
comparison with nan is false, `ne` is true.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

Value = int | float | bool

TYPES: Final = ("int", "float", "bool")
RESERVED: Final = frozenset({"true", "false", "nan", "inf", "phi", "print"})
MOST_DIGITS: Final = 400

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_INT = re.compile(r"-?[0-9]{1,20}")
_FLOAT = re.compile(r"-?(nan|inf|[0-9]+\.[0-9]*(e[+-]?[0-9]{1,4})?|[0-9]+e[+-]?[0-9]{1,4})")


class Trap(Exception):
    """An integer was divided by zero."""


@lru_cache(1 << 14)
def is_name(text: str) -> bool:
    """Whether the text is a valid name of a value or a block."""
    return text not in RESERVED and _NAME.fullmatch(text) is not None


@lru_cache(1 << 14)
def literal(text: str) -> Value | None:
    """Return the constant that the text denotes, or None if it is none."""
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text) is not None:
        number = int(text)
        return number if number == wrap(number) else None
    if len(text) <= MOST_DIGITS and _FLOAT.fullmatch(text) is not None:
        return float(text)
    return None


def written(value: Value) -> str:
    """Format a value so that `literal` reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def type_of(value: Value) -> str:
    """Return "bool", "int" or "float"."""
    return type(value).__name__


def wrap(number: int) -> int:
    """Wrap an integer to 64 bits, two's complement."""
    return (number + 2**63) % 2**64 - 2**63


def same(one: Value, other: Value) -> bool:
    """Whether two values are observably equal: nan equals nan, and 0.0 differs from -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other and math.copysign(1.0, one) == math.copysign(1.0, other)
    return one == other


def _divide(a: Value, b: Value) -> Value:
    if isinstance(a, float) or isinstance(b, float):
        return _divide_floats(float(a), float(b))
    if b == 0:
        raise Trap
    return wrap(a // b)


def _divide_floats(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: Value, b: Value) -> Value:
    if b == 0:
        raise Trap
    return wrap(int(a) % int(b))


def _fits(value: Value) -> Value:
    return wrap(value) if isinstance(value, int) else value


_BINARY: Mapping[str, Callable[[Value, Value], Value]] = {
    "add": lambda a, b: _fits(a + b),
    "sub": lambda a, b: _fits(a - b),
    "mul": lambda a, b: _fits(a * b),
    "div": _divide,
    "mod": _remainder,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
}
ARITHMETIC: Final = frozenset({"add", "sub", "mul", "div", "mod"})
ORDER: Final = frozenset({"lt", "le", "gt", "ge"})
COMPARISONS: Final = ORDER | {"eq", "ne"}
PURE: Final = frozenset({*_BINARY, "not", "float", "select", "copy"})
COMMUTATIVE: Final = frozenset({"add", "mul", "eq", "ne", "and", "or"})


def evaluate(op: str, args: list[Value]) -> Value:
    """Return the result of a pure operation on arguments of its types.

    Raises Trap if an integer is divided by zero.
    """
    if op == "not":
        return not args[0]
    if op == "float":
        return float(args[0])
    if op == "copy":
        return args[0]
    if op == "select":
        return args[1] if args[0] else args[2]
    return _BINARY[op](args[0], args[1])


NUMBERS: Final = ("int", "float")
RESULT_TYPES: Mapping[tuple[str, ...], str] = {
    **{(op, kind, kind): kind for op in ARITHMETIC - {"mod"} for kind in NUMBERS},
    ("mod", "int", "int"): "int",
    **{(op, kind, kind): "bool" for op in ORDER for kind in NUMBERS},
    **{(op, kind, kind): "bool" for op in ("eq", "ne") for kind in TYPES},
    **{(op, "bool", "bool"): "bool" for op in ("and", "or")},
    ("not", "bool"): "bool",
    ("float", "int"): "float",
    **{("copy", kind): kind for kind in TYPES},
    **{("select", "bool", kind, kind): kind for kind in TYPES},
}
"""The result type of each operation and its argument types."""


def result_type(op: str, types: Sequence[str]) -> str | None:
    """Return the result type, or None if the operation does not accept these argument types."""
    return RESULT_TYPES.get((op, *types))
