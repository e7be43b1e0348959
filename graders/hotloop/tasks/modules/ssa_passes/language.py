"""Programs of the small language, parsed from text that a learner's pass has written.

The text is not trusted: anything else raises `Malformed`, with the beginning of a sentence.
`verifier` checks whether a program is in SSA form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hotloop.judge.questions import shown
from hotloop.tasks.modules.ssa_passes.arithmetic import PURE, TYPES, is_name, literal, type_of

LONGEST_TEXT = 200_000
MOST_LINES = 4_000

ENDS = {"jump": 1, "branch": 3, "return": 1}
"""Terminators of a block, with their number of arguments."""


class Malformed(Exception):
    """An answer is not what it should be. The message is the beginning of a sentence."""


class Instr(NamedTuple):
    """One instruction. A tuple, because one is made twice as fast as a frozen dataclass.

    args: names and constants as written; for a phi, labels and values alternate. to: name of the
    result. type: its type. Both are empty if there is no result.
    """

    op: str
    args: tuple[str, ...]
    to: str = ""
    type: str = ""

    def __str__(self) -> str:
        head = f"{self.to}: {self.type} = " if self.to else ""
        return head + " ".join((self.op, *self.args))

    @property
    def incoming(self) -> Iterator[tuple[str, str]]:
        """A phi's pairs of label and value."""
        return zip(self.args[::2], self.args[1::2], strict=True)

    @property
    def operands(self) -> tuple[str, ...]:
        """The values that it reads, without labels."""
        if self.op == "phi":
            return self.args[1::2]
        if self.op == "branch":
            return self.args[:1]
        return () if self.op == "jump" else self.args

    @property
    def names(self) -> list[str]:
        """The operands that are names, not constants."""
        return [operand for operand in self.operands if is_name(operand)]


@dataclass
class Block:
    """A basic block. The last instruction is its terminator."""

    name: str
    instrs: list[Instr] = field(default_factory=list[Instr])

    @property
    def successors(self) -> list[str]:
        """Names of the successors, each once, in order."""
        end = self.instrs[-1]
        return list(
            dict.fromkeys(end.args[1:] if end.op == "branch" else end.args * (end.op == "jump"))
        )

    @property
    def phis(self) -> list[Instr]:
        """All phis of the block, even misplaced ones."""
        return [instr for instr in self.instrs if instr.op == "phi"]


@dataclass
class Program:
    """A function. The first block is the entry."""

    name: str
    params: list[tuple[str, str]]
    returns: str
    blocks: list[Block]

    def __str__(self) -> str:
        params = ", ".join(f"{name}: {kind}" for name, kind in self.params)
        lines = [f"func {self.name}({params}) -> {self.returns}"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines.extend(f"  {instr}" for instr in block.instrs)
        return "\n".join(lines) + "\n"

    @property
    def signature(self) -> tuple[str, tuple[str, ...], str]:
        """Name, parameter types and result type."""
        return self.name, tuple(kind for _, kind in self.params), self.returns

    @property
    def types(self) -> dict[str, str]:
        """The type of each name."""
        return dict(self.params) | {instr.to: instr.type for instr in self.instrs if instr.to}

    @property
    def instrs(self) -> Iterator[Instr]:
        """All instructions, block by block."""
        return (instr for block in self.blocks for instr in block.instrs)

    def with_blocks(self, blocks: Sequence[Block]) -> Program:
        """Return the same function with other blocks."""
        return Program(self.name, self.params, self.returns, list(blocks))

    def successors(self) -> dict[str, list[str]]:
        """Return the control-flow graph: the successors of each block."""
        return {block.name: block.successors for block in self.blocks}

    def predecessors(self) -> dict[str, list[str]]:
        """Return the predecessors of each block."""
        predecessors: dict[str, list[str]] = {block.name: [] for block in self.blocks}
        for name, followers in self.successors().items():
            for follower in followers:
                predecessors[follower].append(name)
        return predecessors


def parse(text: object) -> Program:
    """Parse a program. Raises Malformed."""
    if not isinstance(text, str):
        raise Malformed(f"it gives {shown(text)}, not the text of a program")
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(text) > LONGEST_TEXT or len(lines) > MOST_LINES:
        raise Malformed("the program is far too long")
    if not lines:
        raise Malformed("it gives an empty text")
    name, params, returns = _signature(lines[0])
    program = Program(name, params, returns, [])
    for line in lines[1:]:
        if line[0] != " ":
            label = line.removesuffix(":")
            if label == line or not is_name(label):
                raise Malformed(f"{shown(line)} is no label")
            program.blocks.append(Block(label))
        elif not program.blocks:
            raise Malformed(f"{shown(line.strip())} stands before the first label")
        else:
            program.blocks[-1].instrs.append(_instr(line.strip()))
    _check_graph(program)
    return program


def _signature(line: str) -> tuple[str, list[tuple[str, str]], str]:
    head, arrow, returns = line.removeprefix("func ").partition(") -> ")
    name, bracket, params = head.partition("(")
    parts = [part.partition(": ") for part in params.split(", ")] if params else []
    pairs = [(param, kind) for param, _, kind in parts]
    fits = line.startswith("func ") and arrow and bracket and is_name(name) and returns in TYPES
    if not fits or not all(is_name(param) and kind in TYPES for param, kind in pairs):
        raise Malformed(f"{shown(line)} is no function's first line")
    if len({param for param, _ in pairs}) != len(pairs):
        raise Malformed(f"{shown(line)} names a parameter twice")
    return name, pairs, returns


def _instr(line: str) -> Instr:
    head, equals, tail = line.partition(" = ")
    if not equals:
        op, *args = line.split()
        return _checked(Instr(op, tuple(args)), line)
    to, colon, kind = head.partition(": ")
    op, *args = tail.split() or [""]
    if not colon or not is_name(to) or kind not in TYPES:
        raise Malformed(f"{shown(line)} does not say `name: type = …`")
    return _checked(Instr(op, tuple(args), to, kind), line)


def _checked(instr: Instr, line: str) -> Instr:
    """Return the instruction if its operation, arguments and result are valid. Raises Malformed."""
    op, args = instr.op, instr.args
    if op in PURE or op == "phi":
        fits = bool(instr.to) and (len(args) % 2 == 0 if op == "phi" else 1 <= len(args) <= 3)
    else:
        fits = not instr.to and len(args) == ENDS.get(op, 1 if op == "print" else -1)
    if not fits:
        raise Malformed(f"{shown(line)} is no instruction")
    labels = args[::2] if op == "phi" else args[1:] if op == "branch" else args * (op == "jump")
    if not all(map(is_name, labels)):
        raise Malformed(f"{shown(line)} needs a label where it has none")
    if not all(is_name(value) or literal(value) is not None for value in instr.operands):
        raise Malformed(f"{shown(line)} has an argument that is neither a name nor a constant")
    return instr


def _check_graph(program: Program) -> None:
    names = [block.name for block in program.blocks]
    if not names:
        raise Malformed("it has no block")
    if len(set(names)) != len(names):
        raise Malformed("two blocks have one label")
    for block in program.blocks:
        ends = [instr.op in ENDS for instr in block.instrs]
        if not ends or not ends[-1] or sum(ends) != 1:
            raise Malformed(
                f"block {shown(block.name)} does not end with its only jump, branch or return"
            )
        for follower in block.successors:
            if follower not in names:
                raise Malformed(
                    f"block {shown(block.name)} goes to {shown(follower)}, which is no block"
                )


def kind_of(operand: str, types: dict[str, str]) -> str | None:
    """Return the type of a name or a constant; None for an unknown name."""
    value = literal(operand)
    return types.get(operand) if value is None else type_of(value)
