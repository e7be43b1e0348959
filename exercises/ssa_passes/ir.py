"""A small language of blocks and instructions: read, written, run.

    func f(a: int, n: int) -> int
    b0:
      t0: int = mul a 2
      jump b1
    b1:
      t1: int = phi b0 0 b2 t3
      t2: bool = lt t1 n
      branch t2 b2 b3
    b2:
      t3: int = add t1 t0
      print t3
      jump b1
    b3:
      return t1

One instruction a line: `name: type = operation arguments…`, or one without a result: print, and
at the end of each block jump, branch or return. An argument is a name or a constant. The first
block is where it begins; nothing jumps to it.

int     64 bits, and wraps. `div` and `mod` round down, as Python's // and % do; by 0 they trap.
float   IEEE double. Nothing traps: 1.0 / 0.0 is inf. -0.0 and 0.0 can be told apart, by 1.0 / x.
bool    true, false.

What can be seen from outside: what is printed, in order; and the result, or that it trapped.
"""

import functools
import math
import re
from dataclasses import dataclass, field

ARITHMETIC = ("add", "sub", "mul", "div", "mod")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
LOGIC = ("and", "or", "not")
PURE = (*ARITHMETIC, *COMPARISONS, *LOGIC, "float", "select", "copy")
"""They compute and do nothing else; but div and mod of ints may trap."""
COMMUTATIVE = ("add", "mul", "eq", "ne", "and", "or")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Trap(Exception):
    """An integer was divided by zero."""


@dataclass
class Instr:
    """args: names, constants and labels as they are written. to, type: of its result, if any."""

    op: str
    args: list
    to: str = ""
    type: str = ""

    def __str__(self):
        head = f"{self.to}: {self.type} = " if self.to else ""
        return head + " ".join((self.op, *self.args))

    @property
    def incoming(self):
        """Of a phi: pairs of label and value."""
        return list(zip(self.args[::2], self.args[1::2], strict=True))

    @property
    def operands(self):
        """The values that it reads; no labels."""
        if self.op == "phi":
            return self.args[1::2]
        if self.op == "branch":
            return self.args[:1]
        return [] if self.op == "jump" else self.args

    @property
    def names(self):
        """The operands that are no constants."""
        return [operand for operand in self.operands if not is_constant(operand)]

    def replace_operands(self, change):
        """Give each operand, constant or name, to `change`, and write what it returns."""
        for place in range(len(self.args)):
            label = {"phi": place % 2 == 0, "branch": place > 0, "jump": True}.get(self.op, False)
            if not label:
                self.args[place] = change(self.args[place])


@dataclass
class Block:
    """instrs: phis first; the last one is a jump, branch or return."""

    name: str
    instrs: list = field(default_factory=list)

    @property
    def phis(self):
        return [instr for instr in self.instrs if instr.op == "phi"]

    @property
    def end(self):
        return self.instrs[-1]

    @property
    def successors(self):
        """Labels, each once."""
        labels = {"jump": self.end.args, "branch": self.end.args[1:]}.get(self.end.op, [])
        return list(dict.fromkeys(labels))


@dataclass
class Function:
    """params: pairs of name and type."""

    name: str
    params: list
    returns: str
    blocks: list = field(default_factory=list)

    def __str__(self):
        params = ", ".join(f"{name}: {kind}" for name, kind in self.params)
        lines = [f"func {self.name}({params}) -> {self.returns}"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines += [f"  {instr}" for instr in block.instrs]
        return "\n".join(lines) + "\n"

    @property
    def entry(self):
        return self.blocks[0].name

    @property
    def instrs(self):
        """All of them; a new list."""
        return [instr for block in self.blocks for instr in block.instrs]

    @property
    def graph(self):
        """Successors by label."""
        return {block.name: block.successors for block in self.blocks}

    @property
    def predecessors(self):
        """Predecessors by label."""
        found = {block.name: [] for block in self.blocks}
        for block in self.blocks:
            for follower in block.successors:
                found[follower].append(block.name)
        return found

    @property
    def types(self):
        """Of each name."""
        return dict(self.params) | {instr.to: instr.type for instr in self.instrs if instr.to}

    def block(self, name):
        return next(block for block in self.blocks if block.name == name)

    def replace(self, names):
        """Read other values in place of these: a dict, followed to its end."""

        def change(operand):
            while operand in names:
                operand = names[operand]
            return operand

        for instr in self.instrs:
            instr.replace_operands(change)


def parse(text):
    """The function that `str` has written."""
    head, *lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    name, params, returns = re.fullmatch(r"func (\w+)\((.*)\) -> (\w+)", head).groups()
    pairs = [tuple(part.split(": ")) for part in params.split(", ")] if params else []
    function = Function(name, pairs, returns)
    for line in lines:
        if not line.startswith(" "):
            function.blocks.append(Block(line.removesuffix(":")))
            continue
        left, equals, right = line.strip().partition(" = ")
        to, _, kind = left.partition(": ") if equals else ("", "", "")
        op, *args = (right if equals else left).split()
        function.blocks[-1].instrs.append(Instr(op, args, to, kind))
    return function


def on_text(function_pass):
    """A pass takes a Function and gives one; called with a text, as the judge does, a text."""

    @functools.wraps(function_pass)
    def either(given):
        if isinstance(given, str):
            return str(function_pass(parse(given)))
        return function_pass(given)

    return either


def is_constant(operand):
    """true, 3, -1.5, nan, inf; not a name."""
    return operand in ("true", "false", "nan", "inf") or _NAME.fullmatch(operand) is None


def value_of(operand):
    """The bool, int or float that a constant stands for."""
    if operand in ("true", "false"):
        return operand == "true"
    return int(operand) if re.fullmatch(r"-?[0-9]+", operand) else float(operand)


def constant(value):
    """As it is written in a program."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def type_of(operand, types):
    """Of a constant, or of a name by `function.types`."""
    return type(value_of(operand)).__name__ if is_constant(operand) else types[operand]


def wrap(number):
    """Into 64 bits."""
    return (number + 2**63) % 2**64 - 2**63


def evaluate(op, values):
    """What a pure operation gives, exactly. Trap where an int is divided by zero."""
    a, b = values[0], values[1] if len(values) > 1 else None
    if op in ("div", "mod") and isinstance(a, int):
        if b == 0:
            raise Trap
        return wrap(a // b if op == "div" else a % b)
    if op == "div":
        return _float_division(a, b)
    if op in ("add", "sub", "mul"):
        number = {"add": a.__add__, "sub": a.__sub__, "mul": a.__mul__}[op](b)
        return wrap(number) if isinstance(number, int) else number
    if op == "select":
        return values[1] if a else values[2]
    one = {"not": lambda: not a, "float": lambda: float(a), "copy": lambda: a}
    two = {
        "lt": lambda: a < b,
        "le": lambda: a <= b,
        "gt": lambda: a > b,
        "ge": lambda: a >= b,
        "eq": lambda: a == b,
        "ne": lambda: a != b,
        "and": lambda: a and b,
        "or": lambda: a or b,
    }
    return (one | two)[op]()


def _float_division(a, b):
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def run(function, arguments, most_steps=100_000):
    """(what it printed, its result or "trap", operations executed). In SSA form or not."""
    values = dict(zip((name for name, _ in function.params), arguments, strict=True))
    printed, steps, here, came_from = [], 0, function.blocks[0], ""

    def read(operand):
        return value_of(operand) if is_constant(operand) else values[operand]

    while steps < most_steps:
        # The phis of a block happen at once: all are read before one is written.
        values |= {phi.to: read(dict(phi.incoming)[came_from]) for phi in here.phis}
        for instr in here.instrs[len(here.phis) : -1]:
            taken = [read(operand) for operand in instr.args]
            steps += 1
            if instr.op == "print":
                printed.append(taken[0])
                continue
            try:
                values[instr.to] = evaluate(instr.op, taken)
            except Trap:
                return printed, "trap", steps
        end = here.end
        if end.op == "return":
            return printed, read(end.args[0]), steps
        way = end.args[0] if end.op == "jump" else end.args[1 if read(end.args[0]) else 2]
        came_from, here, steps = here.name, function.block(way), steps + 1
    return printed, "no end", steps
