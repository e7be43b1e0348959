"""Random Python functions, from which the learner's inputs are made.

They are handed over as they are, or lowered to blocks first (`lowered.py`). Those with floats are
only lowered, since in blocks `/` by zero gives inf or nan. Every loop has its own counter, which
only the loop itself advances, so every function ends.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hotloop.tasks.modules.ssa_passes.arithmetic import Value, type_of

LARGE = 2**63 - 1
INTS: Sequence[Value] = (0, 1, -1, 2, 3, -2, 5, 7, 8, -3, 10)
INT_INPUTS: Sequence[Value] = (0, 1, -1, 2, 3, -2, 4, 5, -7, 8, 13, LARGE, -LARGE - 1)
FLOATS: Sequence[Value] = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0)
FLOAT_INPUTS: Sequence[Value] = (
    *(0.0, -0.0, -0.0, -0.0, 1.0, -1.5, 2.0, 0.1, 1e308, -1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), 2.0**53),
)
DEEPEST = 3
"""Nesting of statements."""
LONGEST_REPEATED = 5
"""Most operations in an expression that is repeated."""


class Expr(NamedTuple):
    """An expression.

    type: int, float or bool. size: number of its operations. alike: the text of an expression that
    looks alike: operands swapped, or the other zero.
    """

    text: str
    type: str
    size: int
    alike: str


def constant(value: Value) -> Expr:
    """Return a constant."""
    text = repr(value)
    alike = repr(-value) if text in ("0.0", "-0.0") else text
    return Expr(text, type_of(value), 0, alike)


def binary(sign: str, one: Expr, other: Expr, kind: str) -> Expr:
    """Return an operation of two operands. kind: its type."""
    text = f"({one.text} {sign} {other.text})"
    alike = f"({other.text} {sign} {one.text})"
    if any(part.size == 0 and part.alike != part.text for part in (one, other)):
        parts = [part.alike if part.size == 0 else part.text for part in (one, other)]
        alike = f"({parts[0]} {sign} {parts[1]})"
    return Expr(text, kind, one.size + other.size + 1, alike)


def indented(lines: Sequence[str]) -> list[str]:
    """Return the lines of a block, one level deeper."""
    return [f"    {line}" for line in lines]


def leaves(lines: Sequence[str]) -> bool:
    """Whether nothing after these statements is reachable."""
    return bool(lines) and lines[-1].startswith(("return ", "break", "continue"))


@dataclass
class Drawing:
    """One function under construction.

    floats: with floats beside ints. select: with conditional expressions.
    variables: the type of each one set so far. fixed: counters that the body must not assign.
    earlier: expressions that may be repeated.
    """

    rng: random.Random
    floats: bool
    select: bool
    returns: str = "int"
    variables: dict[str, str] = field(default_factory=dict[str, str])
    fixed: set[str] = field(default_factory=set[str])
    earlier: list[Expr] = field(default_factory=list[Expr])
    counters: int = 0

    def source(self, statements: int, beginning: Sequence[str]) -> str:
        """Draw the function. statements: most in the outermost block. beginning: its first ones."""
        self.variables = dict.fromkeys("abc"[: self.rng.randint(2, 3)], "int")
        if self.floats:
            self.variables |= dict.fromkeys("xy", "float")
            self.returns = self.rng.choice(list(self.variables.values()))
        params = dict(self.variables)
        body: list[str] = []
        for number in range(self.rng.randint(1, 3)):
            value = self.expr(self.kind(), 2)
            body.append(f"v{number} = {value.text}")
            self.variables[f"v{number}"] = value.type
        if self.rng.random() < 0.5:
            body += self.tricks(params)
        body += self.block(0, statements, loop=False)
        if not leaves(body):
            body.append(f"return {self.expr(self.returns, 2).text}")
        signature = ", ".join(f"{name}: {kind}" for name, kind in params.items())
        head = f"def f({signature}) -> {self.returns}:"
        return "\n".join([head, *indented([*beginning, *body])]) + "\n"

    def block(self, depth: int, most: int, *, loop: bool) -> list[str]:
        """Draw statements.

        depth: 0 for the function's outermost block. loop: whether inside a loop.
        """
        lines: list[str] = []
        variables, earlier = dict(self.variables), len(self.earlier)
        for _ in range(self.rng.randint(min(2, most), most)):
            lines += self.statement(depth, loop=loop)
            if leaves(lines):
                break
        # Variables first set in here may be unset after it.
        if depth:
            self.variables = variables
            del self.earlier[earlier:]
        return lines

    def statement(self, depth: int, *, loop: bool) -> list[str]:
        """Draw a statement, preceded by others that it needs."""
        if self.rng.random() < 0.14:
            return self.tricks(self.variables)
        draw = self.rng.random()
        if depth < DEEPEST and draw < 0.2:
            inner = self.block(depth + 1, 3, loop=loop)
            other = self.block(depth + 1, 2, loop=loop) if self.rng.random() < 0.6 else []
            return self.decision(inner, other)
        if depth < DEEPEST and draw < 0.38:
            return self.loop(depth)
        if draw < 0.5:
            return [f"print({self.expr(self.kind(), 2).text})"]
        if draw < 0.56 and depth:
            word = self.rng.choice(["return", *(["break", "continue"] * (2 * loop))])
            return [f"return {self.expr(self.returns, 1).text}" if word == "return" else word]
        to = self.rng.choice([name for name in self.variables if name not in self.fixed])
        return [f"{to} = {self.expr(self.variables[to], 2).text}"]

    def decision(self, then: Sequence[str], other: Sequence[str]) -> list[str]:
        """Draw an if. other: may be empty."""
        behind = ["else:", *indented(other)] if other else []
        return [f"if {self.condition().text}:", *indented(then), *behind]

    def loop(self, depth: int) -> list[str]:
        """Draw a while with a counter, or a for."""
        self.counters += 1
        counter = f"k{self.counters}"
        if self.rng.random() < 0.4:
            begin = f"{counter} = {self.rng.choice((0, 7))}"
            start, stop = self.rng.choice((0, 0, 1, -1)), str(self.rng.choice((0, 2, 3, 4)))
            if self.rng.random() < 0.5:
                # A small bound that depends on a variable, which the body may change.
                stop = f"({self.variable('int').text} % 5)"
            self.variables[counter] = "int"
            bounds = f"{start}, {stop}" if start else stop
            body = self.block(depth + 1, 3, loop=True)
            return [begin, f"for {counter} in range({bounds}):", *indented(body)]
        before: list[str] = []
        if self.rng.random() < 0.3:  # two predecessors of the loop
            other = [f"print({self.leaf('int').text})"] if self.rng.random() < 0.5 else []
            before = self.decision([f"print({self.leaf('int').text})"], other)
        condition = f"({counter} < {self.rng.choice((0, 1, 2, 3, 4))})"
        if self.rng.random() < 0.4:
            condition = f"({condition} and {self.condition().text})"
        self.fixed.add(counter)
        self.variables[counter] = "int"
        body = [f"{counter} = ({counter} + 1)", *self.block(depth + 1, 3, loop=True)]
        return [*before, f"{counter} = 0", f"while {condition}:", *indented(body)]

    def tricks(self, known: dict[str, str]) -> list[str]:
        """Print two expressions that careless passes get wrong. known: variables that they read."""
        variables, self.variables = self.variables, known
        if self.floats and self.rng.random() < 0.7:
            x, zero = self.variable("float"), constant(self.rng.choice((0.0, -0.0)))
            other_zero = zero._replace(text=zero.alike)
            sign = self.rng.choice(("+", "-", "*", "/"))
            candidates = [
                binary(sign, x, zero, "float"),
                binary(sign, x, other_zero, "float"),
                binary(self.rng.choice(("-", "/")), x, x, "float"),
                binary(self.rng.choice(("==", "!=", "<=", ">=", "<")), x, x, "bool"),
            ]
        else:
            y, z = self.variable("int"), self.variable("int")
            one = constant(self.rng.choice((-7, 7, -5, LARGE)))
            other = constant(self.rng.choice((2, -3, 2, 2, 0)))
            candidates = [
                binary("-", y, z, "int"),
                binary("-", z, y, "int"),
                binary(self.rng.choice(("//", "%", "+", "*")), one, other, "int"),
            ]
            if self.rng.random() < 0.3:
                candidates.append(binary(self.rng.choice(("//", "%")), y, y, "int"))
        self.variables = variables
        return [f"print({expr.text})" for expr in self.rng.sample(candidates, 2)]

    def kind(self) -> str:
        """Return a type that has variables."""
        return "float" if self.floats and self.rng.random() < 0.4 else "int"

    def variable(self, kind: str) -> Expr:
        """Draw a variable."""
        name = self.rng.choice([name for name, its in self.variables.items() if its == kind])
        return Expr(name, kind, 0, name)

    def condition(self, depth: int = 1) -> Expr:
        """Draw a bool expression."""
        draw = self.rng.random()
        if draw < 0.12:
            one, two = (constant(self.rng.choice(INTS)) for _ in range(2))
            return binary(self.rng.choice(("<", ">=", "==")), one, two, "bool")
        if draw < 0.24:  # a division that the test before it guards, if that is evaluated first
            one, two = self.variable("int"), self.variable("int")
            asks = binary("!=", two, constant(0), "bool")
            divides = binary(">", binary("//", one, two, "int"), constant(1), "bool")
            return binary("and", asks, divides, "bool")
        if depth and self.rng.random() < 0.3:
            word = self.rng.choice(("and", "or", "not"))
            one = self.condition(depth - 1)
            if word != "not":
                return binary(word, one, self.condition(depth - 1), "bool")
            text = f"(not {one.text})"
            return Expr(text, "bool", one.size + 1, text)
        kind = self.kind()
        sign = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        return binary(sign, self.expr(kind, 1), self.expr(kind, 1), "bool")

    def expr(self, kind: str, depth: int) -> Expr:
        """Draw an expression of a type, sometimes an earlier one again, or one that looks alike."""
        again = [expr for expr in self.earlier if expr.type == kind]
        if again and self.rng.random() < 0.25:
            old = self.rng.choice(again[-6:])
            return old if self.rng.random() < 0.7 else old._replace(text=old.alike)
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(kind)
        operation = self.operation(kind, depth)
        if operation.size <= LONGEST_REPEATED:
            self.earlier.append(operation)
        return operation

    def leaf(self, kind: str) -> Expr:
        """Draw a variable or a constant."""
        if kind in self.variables.values() and self.rng.random() < 0.7:
            return self.variable(kind)
        return constant(self.rng.choice(INTS if kind == "int" else FLOATS))

    def operation(self, kind: str, depth: int) -> Expr:
        """Draw an operation; some can be simplified."""
        if kind == "float" and self.rng.random() < 0.15:
            number = self.expr("int", depth - 1)
            text = f"float({number.text})"
            return Expr(text, "float", number.size + 1, text)
        if self.select and self.rng.random() < 0.08:
            condition = self.condition(0)
            one, two = self.expr(kind, depth - 1), self.expr(kind, depth - 1)
            text = f"({one.text} if {condition.text} else {two.text})"
            return Expr(text, kind, condition.size + one.size + two.size + 1, text)
        sign = self.rng.choice(("+", "+", "+", "-", "-", "*", "*", "*", "//", "%"))
        if kind == "float":
            sign = {"//": "/", "%": "-"}.get(sign, sign)
        one = self.expr(kind, depth - 1)
        draw = self.rng.random()
        if sign in ("//", "%") and draw < 0.7:
            return binary(sign, one, constant(self.rng.choice((1, -1, 2, 3, -3))), kind)
        if draw < 0.12:
            return binary(sign, one, one, kind)
        special = constant(
            self.rng.choice((0, 1, -1, 2) if kind == "int" else (0.0, -0.0, 1.0, -1.0))
        )
        if draw < 0.3:
            return binary(sign, one, special, kind)
        if draw < 0.4:
            return binary(sign, special, one, kind)
        return binary(sign, one, self.expr(kind, depth - 1), kind)


def inputs(rng: random.Random, params: Sequence[tuple[str, str]]) -> list[Value]:
    """Return random arguments for the parameters, of int and float, including edge cases."""
    return [rng.choice(INT_INPUTS if kind == "int" else FLOAT_INPUTS) for _, kind in params]
