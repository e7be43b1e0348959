"""Run a program, in SSA form or not, and record its observable behavior."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from hotloop.tasks.modules.ssa_passes.arithmetic import (
    Trap,
    Value,
    evaluate,
    literal,
    same,
    written,
)
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Program

MOST_STEPS = 20_000
TRAPPED = "a division by zero"
ENDLESS = "no end"


class Broken(Exception):
    """The program cannot run: it reads an undefined value.

    The message is the beginning of a sentence.
    """


@dataclass(frozen=True)
class RunOutcome:
    """Observable behavior and cost of a run.

    printed: in order. result: the returned value, TRAPPED or ENDLESS.
    steps: executed operations, without jumps, copies and phis. moves: executed copies.
    """

    printed: tuple[Value, ...]
    result: Value | str
    steps: int
    moves: int = 0

    def agrees(self, other: RunOutcome) -> bool:
        """Whether both print and return the same."""
        own, others = (*self.printed, self.result), (*other.printed, other.result)
        return len(own) == len(others) and all(map(_alike, own, others))

    def described(self) -> str:
        """Return a short description for messages."""
        printed = ", ".join(written(value) for value in self.printed[:6])
        dots = ", …" if len(self.printed) > 6 else ""
        result = self.result if isinstance(self.result, str) else written(self.result)
        return f"prints [{printed}{dots}] and gives {result}"


def _alike(a: Value | str, b: Value | str) -> bool:
    return a == b if isinstance(a, str) or isinstance(b, str) else same(a, b)


def run(program: Program, arguments: list[Value], most_steps: int = MOST_STEPS) -> RunOutcome:
    """Run the program from its first block. Raises Broken if it reads an undefined value."""
    return _Run(program, arguments, most_steps).outcome()


class _Run:
    def __init__(self, program: Program, arguments: list[Value], most_steps: int) -> None:
        names = [name for name, _ in program.params]
        self.blocks = {block.name: block for block in program.blocks}
        self.here = program.blocks[0]
        self.came_from = ""
        self.values: dict[str, Value] = dict(zip(names, arguments, strict=True))
        self.printed: list[Value] = []
        self.most_steps = most_steps
        self.steps = self.moves = self.turns = 0

    def outcome(self) -> RunOutcome:
        result: Value | str | None = None
        try:
            while result is None:
                result = self._block(self.here)
        except Trap:
            result = TRAPPED
        return RunOutcome(tuple(self.printed), result, self.steps, self.moves)

    def _block(self, block: Block) -> Value | str | None:
        """Run a block and continue at its successor; return the result if the program ends here."""
        self.turns += 1 + len(block.instrs)
        if self.turns > self.most_steps:
            return ENDLESS
        count = len(block.phis)
        # All phis of a block are read before any is written.
        self.values |= {phi.to: self._incoming(block, phi) for phi in block.instrs[:count]}
        for instr in islice(block.instrs, count, len(block.instrs) - 1):
            self._instr(instr)
        end = block.instrs[-1]
        if end.op == "return":
            return self._value(end.args[0])
        target = end.args[0]
        if end.op == "branch":
            target = end.args[1] if self._value(end.args[0]) else end.args[2]
        self.came_from, self.here = block.name, self.blocks[target]
        return None

    def _incoming(self, block: Block, phi: Instr) -> Value:
        if phi.op != "phi":
            raise Broken(f"a phi of block {block.name} stands behind another instruction")
        for label, value in phi.incoming:
            if label == self.came_from:
                return self._value(value)
        raise Broken(f"the phi {phi.to} has nothing for {self.came_from or 'the beginning'}")

    def _instr(self, instr: Instr) -> None:
        values = [self._value(arg) for arg in instr.args]
        self.steps += instr.op != "copy"
        self.moves += instr.op == "copy"
        if instr.op == "print":
            self.printed.append(values[0])
        else:
            self.values[instr.to] = evaluate(instr.op, values)

    def _value(self, operand: str) -> Value:
        constant = literal(operand)
        if constant is not None:
            return constant
        if operand not in self.values:
            raise Broken(f"{operand} is read before it was given a value")
        return self.values[operand]
