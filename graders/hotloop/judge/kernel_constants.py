"""Values of module-level constants and defaults, computed here: the replay gets plain values."""

import ast
import builtins
import math
import operator
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, cast

from hotloop.judge.kernel_lists import MAX_INTEGER_BITS, NUMBERS, TEXTS, is_text
from hotloop.judge.kernel_names import Names, allowed, dotted, is_dtype, number_name

Number = int | float


@dataclass(frozen=True)
class Dtype:
    """A dtype of Triton's. path: `triton.language.float32`."""

    path: str


@dataclass(frozen=True)
class Constexpr:
    """A value in `tl.constexpr(…)`."""

    value: "Value"


Value = int | float | str | Dtype | Constexpr | tuple["Value", ...] | None
"""What a constant can be. All of it is immutable: a list at the top level could carry what one
program loaded to the next."""

_OPERATIONS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
}
"""Functions of `operator`."""

_SIGNS: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}


def _cdiv(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def _next_power_of_2(number: int) -> int:
    return 1 << max(0, operator.index(number) - 1).bit_length()


def _round(number: Number, digits: int | None = None) -> Number:
    if digits is not None and abs(digits) > MAX_INTEGER_BITS:
        raise ValueError("too many digits to round to")  # Python would compute 10 ** digits
    return round(number, digits)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(builtins, name) for name in ("min", "max", "abs", "int", "float")},
    "round": _round,
    "triton.cdiv": _cdiv,
    "triton.language.cdiv": _cdiv,
    "triton.next_power_of_2": _next_power_of_2,
}
_MADE_OF = (
    "a constant is made of numbers, texts, dtypes, tuples, arithmetic and functions of `math`"
)


MOST_PARTS = 64
"""Of a tuple and the tuples in it: `T = (T, T)`, written forty times, would fill the memory."""


class ConstantModule(Protocol):
    """The file that a constant is defined in."""

    @property
    def names(self) -> Names:
        """What the file's names stand for."""
        ...

    def constant(self, name: str, user: ast.AST) -> Value:
        """Return the value of the file's constant `name`."""
        ...

    def refuse(self, node: ast.AST | None, reason: str) -> NoReturn:
        """Raise a Ruling that names the line."""
        ...


class Constants:
    """Computes expressions. variables: names that are no constants where the expression stands."""

    def __init__(self, module: ConstantModule, variables: Set[str] = frozenset()) -> None:
        self._module = module
        self._variables = variables

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression. Raises Ruling if it is no constant."""
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str() as plain):
                return self._small(node, plain)
            case ast.Tuple():
                elements = tuple(self.value(element) for element in node.elts)
                if sum(map(_parts, elements)) > MOST_PARTS:
                    self._module.refuse(node, f"this tuple has more than {MOST_PARTS} parts")
                return elements
            case ast.UnaryOp():
                apply = _SIGNS[type(node.op)]
                return self._computed(node, apply, [self._number(node.operand)])
            case ast.BinOp() if type(node.op) in _OPERATIONS:
                sides = [self._number(node.left), self._number(node.right)]
                if _explodes(node.op, sides):
                    self._module.refuse(node, "this number is too large")
                apply = getattr(operator, _OPERATIONS[type(node.op)])
                return self._computed(node, apply, sides)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case _:
                return self._called(node)

    def _named(self, node: ast.Name | ast.Attribute) -> Value:
        path = self._path(node)
        if is_dtype(path):
            return Dtype(path)
        if number_name(path) in NUMBERS:
            return cast(float, getattr(math, number_name(path)))
        root = "" if path else dotted(node).partition(".")[0]
        value = self._module.constant(root, node) if root and root not in self._variables else None
        if not isinstance(node, ast.Name) or not root or root in self._variables:
            self._module.refuse(node, f"`{ast.unparse(node)[:80]}`: {_MADE_OF}")
        return value

    def _called(self, node: ast.expr) -> Value:
        if not isinstance(node, ast.Call) or node.keywords:
            self._module.refuse(node, _MADE_OF)
        path = self._path(node.func) or dotted(node.func)
        if path == "triton.language.constexpr" and len(node.args) == 1:
            value = self.value(node.args[0])
            return value if isinstance(value, Constexpr) else Constexpr(value)
        if path == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            return self._computed(node, float, [node.args[0].value])
        name = number_name(path)
        apply = getattr(math, name) if name and name not in NUMBERS else _FUNCTIONS.get(path)
        if apply is None or path in self._variables:
            self._module.refuse(node, f"`{ast.unparse(node.func)[:80]}`: {_MADE_OF}")
        return self._computed(node, apply, [self._number(argument) for argument in node.args])

    def _path(self, node: ast.AST) -> str:
        first = dotted(node).partition(".")[0]
        return "" if first in self._variables else self._module.names.resolve(node)

    def _number(self, node: ast.expr) -> Number:
        value = self.value(node)
        while isinstance(value, Constexpr):
            value = value.value
        if not isinstance(value, int | float):
            self._module.refuse(node, "arithmetic in a constant takes numbers")
        return value

    def _computed(self, node: ast.expr, apply: Callable[..., Any], arguments: list[Any]) -> Value:
        try:
            value = apply(*arguments)
        except (ArithmeticError, TypeError, ValueError) as error:
            self._module.refuse(node, f"this constant has no value: {str(error)[:80]}")
        if not isinstance(value, int | float):
            self._module.refuse(node, _MADE_OF)
        return self._small(node, value)

    def _small(self, node: ast.expr, value: int | float | str | None) -> Value:
        if isinstance(value, str) and not is_text(value):
            self._module.refuse(node, f"the text {value[:40]!r}: {TEXTS}")
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            self._module.refuse(node, "this number is too large")
        return value


def _explodes(operation: ast.operator, sides: list[Number]) -> bool:
    """Return True for an integer power that would take long to compute."""
    whole = all(isinstance(side, int) for side in sides)
    return whole and isinstance(operation, ast.Pow | ast.LShift) and sides[1] > MAX_INTEGER_BITS


def _parts(value: Value) -> int:
    return 1 + (sum(map(_parts, value)) if isinstance(value, tuple) else 0)


def expression(value: Value) -> ast.expr:
    """Return the expression whose value is `value`."""
    match value:
        case Dtype():
            path = allowed(value.path)
            assert path is not None
            return path
        case Constexpr():
            constexpr = ast.Attribute(ast.Name("tl", ast.Load()), "constexpr", ast.Load())
            return ast.Call(constexpr, [expression(value.value)], [])
        case tuple():
            return ast.Tuple([expression(part) for part in value], ast.Load())
        case float() if not math.isfinite(value):
            return ast.Call(ast.Name("float", ast.Load()), [ast.Constant(str(value))], [])
        case bool() | None | str():
            return ast.Constant(value)
        case int() | float():
            plain = ast.Constant(abs(value))
            negative = math.copysign(1.0, value) < 0
            return ast.UnaryOp(ast.USub(), plain) if negative else plain
