"""Lower a tree to blocks and jumps, not yet in SSA form."""

from __future__ import annotations

from dataclasses import dataclass, field

from hotloop.tasks.modules.ssa_passes.arithmetic import written
from hotloop.tasks.modules.ssa_passes.flow import reachable
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Program
from hotloop.tasks.modules.ssa_passes.trees import (
    Assign,
    Const,
    Expr,
    For,
    If,
    Leave,
    Print,
    Return,
    Stmt,
    Tree,
    Var,
    While,
)


def lowered(tree: Tree, *, lazy: bool, name: str = "f") -> Program:
    """Lower a tree to a program. lazy: whether `and` and `or` short-circuit."""
    maker = _Maker(lazy)
    maker.stmts(tree.body)
    params = [(param.name, param.type) for param in tree.params]
    program = Program(name, params, tree.returns, [b for b in maker.blocks if b.instrs])
    return without_unreachable(program)


def without_unreachable(program: Program) -> Program:
    """Return the program without its unreachable blocks. It must have no phis."""
    ended = {block.name: block for block in program.blocks}
    there = reachable({n: b.successors for n, b in ended.items()}, program.blocks[0].name)
    kept = [block for block in program.blocks if block.name in there]
    return Program(program.name, program.params, program.returns, kept)


@dataclass
class _Maker:
    lazy: bool
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

    def emit(self, op: str, *args: str, to: str = "", kind: str = "") -> None:
        self.blocks[self.here].instrs.append(Instr(op, args, to, kind))

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def stmts(self, body: list[Stmt]) -> bool:
        """Lower the statements; return whether control continues after them."""
        return all(self.stmt(stmt) for stmt in body)

    def stmt(self, stmt: Stmt) -> bool:
        if isinstance(stmt, Assign):
            self.assign(stmt.to, self.value(stmt.value))
        elif isinstance(stmt, Print):
            self.emit("print", self.value(stmt.value))
        elif isinstance(stmt, Return):
            self.emit("return", self.value(stmt.value))
            return False
        elif isinstance(stmt, Leave):
            self.emit("jump", self.leaves[-1][stmt.word == "continue"])
            return False
        elif isinstance(stmt, If):
            return self.decide(stmt)
        elif isinstance(stmt, While):
            self.repeat(stmt)
        else:
            self.count(stmt)
        return True

    def assign(self, to: Var, value: str) -> None:
        self.emit("copy", value, to=to.name, kind=to.type)

    def decide(self, stmt: If) -> bool:
        then, other, behind = self.new(), self.new(), self.new()
        self.branch(stmt.condition, then, other)
        goes_on = False
        for name, body in ((then, stmt.then), (other, stmt.other)):
            self.begin(name)
            if self.stmts(body):
                self.emit("jump", behind)
                goes_on = True
        if goes_on:
            self.begin(behind)
        return goes_on

    def repeat(self, stmt: While) -> None:
        header, inside, behind = self.new(), self.new(), self.new()
        self.emit("jump", header)
        self.begin(header)
        self.branch(stmt.condition, inside, behind)
        self.begin(inside)
        self.leaves.append((behind, header))
        if self.stmts(stmt.body):
            self.emit("jump", header)
        self.leaves.pop()
        self.begin(behind)

    def count(self, stmt: For) -> None:
        header, inside, step, behind = (self.new() for _ in range(4))
        start, stop = self.value(stmt.start), self.value(stmt.stop)
        hidden, bound, more = self.temporary(), self.temporary(), self.temporary()
        self.emit("copy", start, to=hidden, kind="int")
        self.emit("copy", stop, to=bound, kind="int")
        self.emit("jump", header)
        self.begin(header)
        self.emit("lt", hidden, bound, to=more, kind="bool")
        self.emit("branch", more, inside, behind)
        self.begin(inside)
        self.emit("copy", hidden, to=stmt.to.name, kind="int")
        self.leaves.append((behind, step))
        if self.stmts(stmt.body):
            self.emit("jump", step)
        self.leaves.pop()
        self.begin(step)
        self.emit("add", hidden, "1", to=hidden, kind="int")
        self.emit("jump", header)
        self.begin(behind)

    def branch(self, condition: Expr, then: str, other: str) -> None:
        """Branch to `then` or `other` on the condition."""
        if self.lazy and not isinstance(condition, Const | Var):
            if condition.op == "not":
                return self.branch(condition.args[0], other, then)
            if condition.op in ("and", "or"):
                second = self.new()
                ways = (second, other) if condition.op == "and" else (then, second)
                self.branch(condition.args[0], *ways)
                self.begin(second)
                return self.branch(condition.args[1], then, other)
        self.emit("branch", self.value(condition), then, other)
        return None

    def value(self, expr: Expr) -> str:
        """Emit the expression; return its name or constant."""
        if isinstance(expr, Const):
            return written(expr.value)
        if isinstance(expr, Var):
            return expr.name
        args = [self.value(arg) for arg in expr.args]
        to = self.temporary()
        self.emit(expr.op, *args, to=to, kind=expr.type)
        return to
