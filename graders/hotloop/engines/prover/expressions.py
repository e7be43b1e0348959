"""Python's expressions over numbers and values, as the host and kernels have them."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from hotloop.engines.prover.module import Dotted, Module
from hotloop.engines.prover.solver import Names, NotRead
from hotloop.engines.prover.values import Arithmetic, Value, as_value, unknown

MOST_BITS = 64

_NATIVE: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "Div": lambda a, b: a / b,
    "BitAnd": lambda a, b: a & b,
    "BitOr": lambda a, b: a | b,
    "BitXor": lambda a, b: a ^ b,
    "LShift": lambda a, b: a << b,
    "RShift": lambda a, b: a >> b,
    "Pow": lambda a, b: a**b,
    "Lt": lambda a, b: a < b,
    "LtE": lambda a, b: a <= b,
    "Gt": lambda a, b: a > b,
    "GtE": lambda a, b: a >= b,
    "Eq": lambda a, b: a == b,
    "NotEq": lambda a, b: a != b,
}

Variables = dict[str, Any]


class Expressions(ABC):
    """Evaluates expressions; what a call or an attribute means is for those below."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module = module
        self.names = names
        self.arithmetic = Arithmetic(names)
        self._computing: set[str] = set()

    @abstractmethod
    def call(self, node: ast.Call, variables: Variables) -> Any:
        """Return what a call returns."""

    @abstractmethod
    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a value."""

    @abstractmethod
    def item(self, value: Any, index: ast.expr, variables: Variables) -> Any:
        """Return `value[index]`."""

    @abstractmethod
    def if_expression(self, node: ast.IfExp, variables: Variables) -> Any:
        """Return what `a if b else c` is."""

    def evaluate(self, node: ast.expr, variables: Variables) -> Any:  # noqa: C901 - a kind of node each
        """Return the value of an expression. Raises NotRead for what is not followed."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.name(node.id, variables)
        if isinstance(node, ast.Attribute):
            return self._member(self.evaluate(node.value, variables), node.attr)
        if isinstance(node, ast.BinOp):
            left, right = (self.evaluate(each, variables) for each in (node.left, node.right))
            return self.operate(type(node.op).__name__, left, right)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, self.evaluate(node.operand, variables))
        if isinstance(node, ast.Compare):
            return self._compare(node, variables)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, variables)
        if isinstance(node, ast.IfExp):
            return self.if_expression(node, variables)
        if isinstance(node, ast.Call):
            return self.call(node, variables)
        if isinstance(node, ast.Subscript):
            return self.item(self.evaluate(node.value, variables), node.slice, variables)
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self._elements(node.elts, variables))
        if isinstance(node, ast.JoinedStr):
            return unknown()
        raise NotRead(f"`{ast.unparse(node)[:60]}`")

    def name(self, name: str, variables: Variables) -> Any:
        """Return what a name means: a variable, or something at the top of the file."""
        if name in variables:
            return variables[name]
        module = self.module
        module.require_clear(name)
        if name in module.functions:
            return module.functions[name]
        if name in module.imports:
            return module.imports[name]
        if name in module.constants:
            if name in self._computing:
                raise NotRead(f"`{name}` is defined by itself")
            self._computing.add(name)
            try:
                return self.evaluate(module.constants[name], {})
            finally:
                self._computing.discard(name)
        return Dotted(f"builtins.{name}")

    def operate(self, name: str, left: Any, right: Any) -> Any:
        """Return an operator's result, in Python where both sides are Python's."""
        if isinstance(left, Dotted) or isinstance(right, Dotted):
            # Two names of a library may mean one thing.
            same = type(left) is type(right) and left == right
            return name == "Eq" if same and name in {"Eq", "NotEq"} else unknown()
        if not isinstance(left, Value) and not isinstance(right, Value):
            return self._native(name, left, right)
        if name in {"Lt", "LtE", "Gt", "GtE", "Eq", "NotEq"}:
            return self.arithmetic.compare(name, left, right)
        return self.arithmetic.binary(name, left, right)

    @staticmethod
    def _native(name: str, left: Any, right: Any) -> Any:
        if name not in _NATIVE:
            raise NotRead(f"the operator {name}")
        large = name in {"Pow", "LShift"} and isinstance(right, int) and abs(right) > MOST_BITS
        huge = (
            name == "Mult"
            and any(isinstance(s, str | tuple) for s in (left, right))
            and any(isinstance(n, int) and n > MOST_BITS for n in (left, right))
        )
        if large or huge:
            raise NotRead("a number or a list that is too large")
        try:
            return _NATIVE[name](left, right)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise NotRead(f"an expression that fails: {error}") from None

    def _elements(self, nodes: list[ast.expr], variables: Variables) -> list[Any]:
        result: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                value = self.evaluate(node.value, variables)
                if not isinstance(value, tuple):
                    raise NotRead("`*` of what is no tuple")
                result += value
            else:
                result.append(self.evaluate(node, variables))
        return result

    def _member(self, value: Any, name: str) -> Any:
        if isinstance(value, Dotted):
            return Dotted(f"{value}.{name}")
        if isinstance(value, Value) and value.kind == "unknown":
            return unknown(*value.data)
        return self.attribute(value, name)

    def _unary(self, node: ast.UnaryOp, value: Any) -> Any:
        kind = type(node.op).__name__
        if isinstance(value, Value):
            if kind == "USub":
                return self.arithmetic.negate(value)
            if kind == "UAdd":
                return value
            return self.arithmetic.invert(value)
        try:
            if kind == "USub":
                return -value
            if kind == "UAdd":
                return +value
            return not value if kind == "Not" else ~value
        except TypeError as error:
            raise NotRead(f"an expression that fails: {error}") from None

    def _compare(self, node: ast.Compare, variables: Variables) -> Any:
        values = [self.evaluate(each, variables) for each in (node.left, *node.comparators)]
        result: Any = True
        for kind, left, right in zip(node.ops, values[:-1], values[1:], strict=True):
            one = self._one_comparison(type(kind).__name__, left, right)
            result = one if result is True else self._both(result, one)
        return result

    def _one_comparison(self, name: str, left: Any, right: Any) -> Any:
        if name in {"Is", "IsNot"}:
            if right is not None and not isinstance(right, bool):
                raise NotRead("`is` of something else than None")
            if isinstance(left, Value) and left.kind == "unknown":
                return left
            same = left is right
            return same if name == "Is" else not same
        if name in {"In", "NotIn"}:
            if isinstance(left, Value) or not isinstance(right, tuple):
                return unknown()
            return (left in right) == (name == "In")
        return self.operate(name, left, right)

    def _both(self, left: Any, right: Any) -> Any:
        if not isinstance(left, Value) and not isinstance(right, Value):
            return bool(left) and bool(right)
        return self.arithmetic.binary("BitAnd", as_value(left), as_value(right))

    def _boolean(self, node: ast.BoolOp, variables: Variables) -> Any:
        """`and` and `or`, which stop where Python's do if a side is known."""
        stops = isinstance(node.op, ast.Or)
        result: Any = not stops
        for each in node.values:
            value = self.evaluate(each, variables)
            if not isinstance(value, Value):
                if bool(value) == stops:
                    return stops if isinstance(result, Value) else value
                if not isinstance(result, Value):
                    result = value
                continue
            if value.kind == "int":
                value = self.arithmetic.compare("NotEq", value, 0)
            if not isinstance(result, Value):
                result = value
            else:
                result = self.arithmetic.binary("BitOr" if stops else "BitAnd", result, value)
        return result
