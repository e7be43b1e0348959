"""Lower a Python function to blocks and jumps, not yet in SSA form."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.tasks.modules.ssa_passes.arithmetic import result_type, written
from hotloop.tasks.modules.ssa_passes.flow import reachable
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Program, kind_of

OPERATIONS: Mapping[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "div",
    ast.Mod: "mod",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.And: "and",
    ast.Or: "or",
}


def lowered(source: str, *, lazy: bool) -> Program:
    """Lower one of our own functions. lazy: whether `and` and `or` short-circuit."""
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    params = [(arg.arg, ast.unparse(arg.annotation or arg)) for arg in function.args.args]
    lowering = _Lowering(lazy, dict(params))
    lowering.statements(function.body)
    returns = ast.unparse(function.returns or function)
    blocks = [block for block in lowering.blocks if block.instrs]
    return without_unreachable(Program(function.name, params, returns, blocks))


def without_unreachable(program: Program) -> Program:
    """Return the program without its unreachable blocks. It must have no phis."""
    there = reachable(program.successors(), program.blocks[0].name)
    return program.with_blocks([block for block in program.blocks if block.name in there])


@dataclass
class _Lowering:
    lazy: bool
    types: dict[str, str]
    blocks: list[Block] = field(default_factory=lambda: [Block("b0")])
    here: int = 0
    leaves: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    temporaries: int = 0

    def new(self) -> str:
        name = f"b{len(self.blocks)}"
        self.blocks.append(Block(name))
        return name

    def begin(self, name: str) -> None:
        """Continue in a block that `new` has made."""
        self.here = int(name[1:])

    def emit(self, op: str, *args: str) -> None:
        self.blocks[self.here].instrs.append(Instr(op, args))

    def define(self, to: str, op: str, *args: str) -> str:
        """Emit an operation with a result; return the result's name."""
        kind = result_type(op, [kind_of(arg, self.types) or "" for arg in args]) or ""
        self.types[to] = kind
        self.blocks[self.here].instrs.append(Instr(op, args, to, kind))
        return to

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def statements(self, body: Sequence[ast.stmt]) -> bool:
        """Lower the statements; return whether control continues after them."""
        return all(self.statement(statement) for statement in body)

    def statement(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.define(name, "copy", self.value(value))
            case ast.Expr(value=ast.Call(args=[value])):
                self.emit("print", self.value(value))
            case ast.Return(value=ast.expr() as value):
                self.emit("return", self.value(value))
                return False
            case ast.Break() | ast.Continue():
                self.emit("jump", self.leaves[-1][isinstance(statement, ast.Continue)])
                return False
            case ast.If():
                return self.decide(statement)
            case ast.While():
                self.repeat(statement)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds)):
                self.count(name, bounds, statement.body)
            case _:
                raise AssertionError(ast.dump(statement))
        return True

    def decide(self, statement: ast.If) -> bool:
        then, other, behind = self.new(), self.new(), self.new()
        self.branch(statement.test, then, other)
        goes_on = False
        for name, body in ((then, statement.body), (other, statement.orelse)):
            self.begin(name)
            if self.statements(body):
                self.emit("jump", behind)
                goes_on = True
        if goes_on:
            self.begin(behind)
        return goes_on

    def repeat(self, statement: ast.While) -> None:
        header, inside, behind = self.new(), self.new(), self.new()
        self.emit("jump", header)
        self.begin(header)
        self.branch(statement.test, inside, behind)
        self.begin(inside)
        self.loop_body(statement.body, behind, header)
        self.begin(behind)

    def loop_body(self, body: Sequence[ast.stmt], behind: str, again: str) -> None:
        """Lower the body. behind, again: where `break` and `continue` jump."""
        self.leaves.append((behind, again))
        if self.statements(body):
            self.emit("jump", again)
        self.leaves.pop()

    def count(self, name: str, bounds: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        """Lower a loop over range(bounds), which are computed once; the body may assign `name`."""
        header, inside, step, behind = (self.new() for _ in range(4))
        *start, stop = [self.value(bound) for bound in bounds]
        hidden = self.define(self.temporary(), "copy", *(start or ["0"]))
        bound = self.define(self.temporary(), "copy", stop)
        self.emit("jump", header)
        self.begin(header)
        more = self.define(self.temporary(), "lt", hidden, bound)
        self.emit("branch", more, inside, behind)
        self.begin(inside)
        self.define(name, "copy", hidden)
        self.loop_body(body, behind, step)
        self.begin(step)
        self.define(hidden, "add", hidden, "1")
        self.emit("jump", header)
        self.begin(behind)

    def branch(self, condition: ast.expr, then: str, other: str) -> None:
        """Branch to `then` or `other` on the condition."""
        match condition:
            case ast.UnaryOp(operand=operand) if self.lazy:
                self.branch(operand, other, then)
            case ast.BoolOp(op=op, values=[first, last]) if self.lazy:
                second = self.new()
                ways = (second, other) if isinstance(op, ast.And) else (then, second)
                self.branch(first, *ways)
                self.begin(second)
                self.branch(last, then, other)
            case _:
                self.emit("branch", self.value(condition), then, other)

    def value(self, expr: ast.expr) -> str:
        """Emit the expression; return its name or constant."""
        match expr:
            case ast.Name(id=name):
                return name
            case ast.Constant(value=int() | float() as number):
                return written(number)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return written(-number)
            case ast.IfExp():
                op, parts = "select", [expr.test, expr.body, expr.orelse]
            case ast.Call():
                op, parts = "float", expr.args
            case ast.UnaryOp():
                op, parts = "not", [expr.operand]
            case ast.BinOp():
                op, parts = OPERATIONS[type(expr.op)], [expr.left, expr.right]
            case ast.BoolOp():
                op, parts = OPERATIONS[type(expr.op)], expr.values
            case ast.Compare():
                op, parts = OPERATIONS[type(expr.ops[0])], [expr.left, *expr.comparators]
            case _:
                raise AssertionError(ast.dump(expr))
        args = [self.value(part) for part in parts]
        return self.define(self.temporary(), op, *args)
