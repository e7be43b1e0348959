"""Random structured programs, from which the learner's inputs are made.

A tree is printed as Python (`python.py`) and lowered to blocks (`lowered.py`). Every loop has its
own counter, which only the loop itself advances, so every program ends.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from hotloop.tasks.modules.ssa_passes.arithmetic import ARITHMETIC, Value, type_of

LARGE = 2**63 - 1
INTS: Sequence[Value] = (0, 1, -1, 2, 3, -2, 5, 7, 8, -3, 10)
INT_INPUTS: Sequence[Value] = (0, 1, -1, 2, 3, -2, 4, 5, -7, 8, 13, LARGE, -LARGE - 1)
FLOATS: Sequence[Value] = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0)
FLOAT_INPUTS: Sequence[Value] = (
    *(0.0, -0.0, -0.0, -0.0, 1.0, -1.5, 2.0, 0.1, 1e308, -1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), 2.0**53),
)


@dataclass(frozen=True)
class Const:
    """A constant."""

    value: Value

    @property
    def type(self) -> str:
        """int, float or bool."""
        return type_of(self.value)


@dataclass(frozen=True)
class Var:
    """A variable, read or assigned to."""

    name: str
    type: str


@dataclass(frozen=True)
class Op:
    """An operation."""

    op: str
    args: tuple[Expr, ...]
    type: str


Expr = Const | Var | Op


def size(expr: Expr) -> int:
    """Return the number of operations in an expression."""
    return 1 + sum(map(size, expr.args)) if isinstance(expr, Op) else 0


@dataclass(frozen=True)
class Assign:
    """An assignment."""

    to: Var
    value: Expr


@dataclass(frozen=True)
class Print:
    """A print of one value."""

    value: Expr


@dataclass(frozen=True)
class If:
    """An if with an else, which may be empty."""

    condition: Expr
    then: list[Stmt]
    other: list[Stmt]


@dataclass(frozen=True)
class While:
    """A while loop. Its body begins with the step of its counter."""

    condition: Expr
    body: list[Stmt]


@dataclass(frozen=True)
class For:
    """A loop over range(start, stop), both computed once. The body may assign to `to`."""

    to: Var
    start: Expr
    stop: Expr
    body: list[Stmt]


@dataclass(frozen=True)
class Leave:
    """Leaves a loop iteration. word: "break" or "continue"."""

    word: str


@dataclass(frozen=True)
class Return:
    """A return."""

    value: Expr


Stmt = Assign | Print | If | While | For | Leave | Return


@dataclass(frozen=True)
class Tree:
    """A function. returns: its result type."""

    params: list[Var]
    body: list[Stmt]
    returns: str


@dataclass(frozen=True)
class Style:
    """How programs are generated. floats: with floats beside ints. python: without `select`.

    statements: most in the outermost block. deepest: nesting of statements.
    """

    floats: bool = True
    python: bool = False
    statements: int = 6
    deepest: int = 3


@dataclass
class Drawing:
    """One program under construction.

    variables: those set so far. fixed: counters that the body must not assign. earlier: expressions
    that may be repeated.
    """

    rng: random.Random
    style: Style
    variables: list[Var] = field(default_factory=list[Var])
    fixed: set[str] = field(default_factory=set[str])
    earlier: list[Expr] = field(default_factory=list[Expr])
    counters: int = 0

    def tree(self) -> Tree:
        """Draw the whole program."""
        params = [Var(name, "int") for name in "abc"[: self.rng.randint(2, 3)]]
        if self.style.floats:
            params += [Var(name, "float") for name in "xy"]
        self.variables = list(params)
        body: list[Stmt] = []
        for number in range(self.rng.randint(1, 3)):
            kind = "float" if self.style.floats and self.rng.random() < 0.4 else "int"
            value = self.expr(kind, 2)
            to = Var(f"v{number}", kind)
            body.append(Assign(to, value))
            self.variables.append(to)
        if self.rng.random() < 0.5:
            body += [Print(trick) for trick in self.tricks(params)]
        body += self.block(0, self.style.statements, loop=False)
        returns = self.rng.choice(self.variables).type if self.style.floats else "int"
        if not self.ends(body):
            body.append(Return(self.expr(returns, 2)))
        return Tree(params, self.returning(body, returns), returns)

    def returning(self, body: list[Stmt], kind: str) -> list[Stmt]:
        """Return the statements with all returns of type `kind`."""
        found: list[Stmt] = []
        for stmt in body:
            if isinstance(stmt, Return) and stmt.value.type != kind:
                stmt = Return(Const(0 if kind == "int" else 0.0))
            elif isinstance(stmt, If):
                parts = (self.returning(part, kind) for part in (stmt.then, stmt.other))
                stmt = If(stmt.condition, *parts)
            elif isinstance(stmt, While):
                stmt = While(stmt.condition, self.returning(stmt.body, kind))
            elif isinstance(stmt, For):
                stmt = For(stmt.to, stmt.start, stmt.stop, self.returning(stmt.body, kind))
            found.append(stmt)
        return found

    def ends(self, body: list[Stmt]) -> bool:
        """Whether nothing after these statements is reachable."""
        return bool(body) and isinstance(body[-1], Return | Leave)

    def block(self, depth: int, most: int, *, loop: bool) -> list[Stmt]:
        """Draw statements.

        depth: 0 for the function's outermost block. loop: whether inside a loop.
        """
        found: list[Stmt] = []
        known, earlier = len(self.variables), len(self.earlier)
        for _ in range(self.rng.randint(min(2, most), most)):
            found += self.stmt(depth, loop=loop)
            if self.ends(found):
                break
        # Variables first set in here may be unset after it.
        if depth:
            del self.variables[known:], self.earlier[earlier:]
        return found

    def stmt(self, depth: int, *, loop: bool) -> list[Stmt]:
        """Draw a statement, preceded by others that it needs."""
        draw = self.rng.random()
        if draw < 0.14:
            return [Print(trick) for trick in self.tricks(self.variables)]
        draw = self.rng.random()
        if depth < self.style.deepest and draw < 0.2:
            inner = self.block(depth + 1, 3, loop=loop)
            other = self.block(depth + 1, 2, loop=loop) if self.rng.random() < 0.6 else []
            return [If(self.condition(), inner, other)]
        if depth < self.style.deepest and draw < 0.38:
            return self.loop(depth)
        if draw < 0.5:
            return [Print(self.expr(self.kind(), 2))]
        if draw < 0.56 and depth:
            words = ["return", *(["break", "continue"] * (2 * loop))]
            word = self.rng.choice(words)
            return [Return(self.expr(self.kind(), 1)) if word == "return" else Leave(word)]
        to = self.rng.choice([v for v in self.variables if v.name not in self.fixed])
        return [Assign(to, self.expr(to.type, 2))]

    def loop(self, depth: int) -> list[Stmt]:
        """Draw a while with a counter, or a for."""
        self.counters += 1
        counter = Var(f"k{self.counters}", "int")
        if self.rng.random() < 0.4:
            begin: list[Stmt] = [Assign(counter, Const(self.rng.choice((0, 7))))]
            start, stop = Const(self.rng.choice((0, 0, 1, -1))), self.rng.choice((0, 2, 3, 4))
            bound: Expr = Const(stop)
            if self.rng.random() < 0.5:
                # A small bound that depends on a variable, which the body may change.
                name = self.rng.choice([v for v in self.variables if v.type == "int"])
                bound = Op("mod", (name, Const(5)), "int")
            self.variables.append(counter)
            return [*begin, For(counter, start, bound, self.block(depth + 1, 3, loop=True))]
        before: list[Stmt] = []
        if self.rng.random() < 0.3:  # two predecessors of the loop
            other: list[Stmt] = [Print(self.leaf("int"))] if self.rng.random() < 0.5 else []
            before = [If(self.condition(), [Print(self.leaf("int"))], other)]
        limit = Op("lt", (counter, Const(self.rng.choice((0, 1, 2, 3, 4)))), "bool")
        condition: Expr = limit
        if self.rng.random() < 0.4:
            condition = Op("and", (limit, self.condition()), "bool")
        self.fixed.add(counter.name)
        self.variables.append(counter)
        step = Assign(counter, Op("add", (counter, Const(1)), "int"))
        return [
            *before,
            Assign(counter, Const(0)),
            While(condition, [step, *self.block(depth + 1, 3, loop=True)]),
        ]

    def tricks(self, known: list[Var]) -> list[Expr]:
        """Return two expressions that careless passes get wrong."""
        if self.style.floats and self.rng.random() < 0.7:
            x: Expr = self.rng.choice([v for v in known if v.type == "float"])
            zero = Const(self.rng.choice((0.0, -0.0)))
            op = self.rng.choice(("add", "sub", "mul", "div"))
            made: list[Expr] = [
                Op(op, (x, zero), "float"),
                Op(op, (x, Const(-zero.value)), "float"),
                Op(self.rng.choice(("sub", "div")), (x, x), "float"),
                Op(self.rng.choice(("eq", "ne", "le", "ge", "lt")), (x, x), "bool"),
            ]
        else:
            y: Expr = self.rng.choice([v for v in known if v.type == "int"])
            z: Expr = self.rng.choice([v for v in known if v.type == "int"])
            numbers = (
                Const(self.rng.choice((-7, 7, -5, LARGE))),
                Const(self.rng.choice((2, -3, 2, 2, 0))),
            )
            op = self.rng.choice(("div", "mod", "add", "mul"))
            made = [Op("sub", (y, z), "int"), Op("sub", (z, y), "int"), Op(op, numbers, "int")]
            if self.rng.random() < 0.3:
                made.append(Op(self.rng.choice(("div", "mod")), (y, y), "int"))
        return self.rng.sample(made, 2)

    def kind(self) -> str:
        """Return a type that has variables."""
        return "float" if self.style.floats and self.rng.random() < 0.4 else "int"

    def condition(self, depth: int = 1) -> Expr:
        """Draw a bool expression."""
        draw = self.rng.random()
        if draw < 0.12:
            known = (Const(self.rng.choice(INTS)), Const(self.rng.choice(INTS)))
            return Op(self.rng.choice(("lt", "ge", "eq")), known, "bool")
        if draw < 0.24:  # a division that the test before it guards, if that is evaluated first
            one, two = (
                self.rng.choice([v for v in self.variables if v.type == "int"]) for _ in "12"
            )
            asks = Op("ne", (two, Const(0)), "bool")
            divides = Op("gt", (Op("div", (one, two), "int"), Const(1)), "bool")
            return Op("and", (asks, divides), "bool")
        if depth and self.rng.random() < 0.3:
            op = self.rng.choice(("and", "or", "not"))
            count = 1 if op == "not" else 2
            return Op(op, tuple(self.condition(depth - 1) for _ in range(count)), "bool")
        kind = self.kind()
        op = self.rng.choice(("lt", "le", "gt", "ge", "eq", "ne"))
        return Op(op, (self.expr(kind, 1), self.expr(kind, 1)), "bool")

    def expr(self, kind: str, depth: int) -> Expr:
        """Draw an expression of a type; sometimes repeat an earlier one."""
        again = [e for e in self.earlier if e.type == kind]
        if again and self.rng.random() < 0.25:
            return self.twin(self.rng.choice(again[-6:]))
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(kind)
        made = self.operation(kind, depth)
        if size(made) < 6:
            self.earlier.append(made)
        return made

    def twin(self, expr: Expr) -> Expr:
        """Repeat an expression, or one that only looks alike: operands swapped, or another zero."""
        if not isinstance(expr, Op) or self.rng.random() < 0.7:
            return expr
        zeros = [
            isinstance(a, Const) and isinstance(a.value, float) and not a.value for a in expr.args
        ]
        if any(zeros):
            pairs = zip(expr.args, zeros, strict=True)
            args = [Const(-a.value) if isinstance(a, Const) and zero else a for a, zero in pairs]
            return Op(expr.op, tuple(args), expr.type)
        return Op(expr.op, expr.args[::-1], expr.type) if len(expr.args) == 2 else expr

    def leaf(self, kind: str) -> Expr:
        """Draw a variable or a constant."""
        known = [v for v in self.variables if v.type == kind]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        return Const(self.rng.choice(INTS if kind == "int" else FLOATS))

    def operation(self, kind: str, depth: int) -> Expr:
        """Draw an operation; some can be simplified."""
        if kind == "float" and self.rng.random() < 0.15:
            return Op("float", (self.expr("int", depth - 1),), "float")
        if not self.style.python and self.rng.random() < 0.08:
            parts = (self.condition(0), self.expr(kind, depth - 1), self.expr(kind, depth - 1))
            return Op("select", parts, kind)
        op = self.rng.choice(("add", "add", "add", "sub", "sub", "mul", "mul", "mul", "div", "mod"))
        if kind == "float" and op == "mod":
            op = "sub"
        one = self.expr(kind, depth - 1)
        draw = self.rng.random()
        if op in ("div", "mod") and kind == "int" and draw < 0.7:
            return Op(op, (one, Const(self.rng.choice((1, -1, 2, 3, -3)))), kind)
        if draw < 0.12 and op in ARITHMETIC:
            return Op(op, (one, one), kind)
        special = Const(self.rng.choice((0, 1, -1, 2) if kind == "int" else (0.0, -0.0, 1.0, -1.0)))
        if draw < 0.3:
            return Op(op, (one, special), kind)
        if draw < 0.4:
            return Op(op, (special, one), kind)
        return Op(op, (one, self.expr(kind, depth - 1)), kind)


def generated(rng: random.Random, style: Style) -> Tree:
    """Return a random program."""
    return Drawing(rng, style).tree()


def inputs(rng: random.Random, params: list[Var]) -> list[Value]:
    """Return random arguments for the parameters, including edge cases."""
    return [rng.choice(INT_INPUTS if p.type == "int" else FLOAT_INPUTS) for p in params]
