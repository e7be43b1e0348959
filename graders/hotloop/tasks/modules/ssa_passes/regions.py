"""Programs with regions inside operations, in MLIR's text: generated, parsed, run.

They are given in the custom form that people write. xDSL reads what a candidate makes of them, in a
process of its own; the judge loads neither xDSL nor MLIR.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.graphs.graph import expression
from hotloop.judge.program import Program
from hotloop.judge.questions import shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.arithmetic import wrap
from hotloop.tasks.modules.ssa_passes.cleaning import Language
from hotloop.tasks.modules.ssa_passes.language import Malformed

COUNT = 120
LONGEST = 100_000

INTS = ("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori")
COMMUTATIVE = frozenset(INTS) - {"arith.subi"}
PURE = (*INTS, "arith.constant", "arith.cmpi", "arith.select")
MARK = "hotloop.cleaned"
"""A module attribute that only a take-home's variant requires."""

MLIR_TEXT = Program(
    {"mlir_text.py": Path(__file__).parent / "programs" / "mlir_text.py"}, "mlir_text.py"
)

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")

_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Op:
    """One operation. attribute: a constant's value or a comparison's predicate.

    to, type: name and type of the result, or empty. regions: of an scf.if, each with its
    terminator.
    """

    name: str
    operands: tuple[str, ...] = ()
    attribute: str = ""
    to: str = ""
    type: str = ""
    regions: tuple[tuple[Op, ...], ...] = ()


@dataclass(frozen=True)
class RegionProgram:
    """One function of i64 and i1 values that returns an i64."""

    params: tuple[tuple[str, str], ...]
    body: tuple[Op, ...]

    def __str__(self) -> str:
        params = ", ".join(f"%{name}: {kind}" for name, kind in self.params)
        lines = ["func.func private @print(i64)", f"func.func @f({params}) -> i64 {{"]
        return "\n".join([*lines, *_written(self.body, "  "), "}"]) + "\n"

    def run(self, arguments: list[int]) -> list[int]:
        """Return the printed values followed by the result."""
        printed: list[int] = []
        names = dict(zip((name for name, _ in self.params), arguments, strict=True))
        result = _run(self.body, names, printed)
        return [*printed, *result]


def _written(body: tuple[Op, ...], indent: str) -> Iterator[str]:
    """Yield lines in the custom form."""
    for op in body:
        args = ", ".join(f"%{name}" for name in op.operands)
        left = f"{indent}%{op.to} = " if op.to else indent
        if op.name == "arith.constant":
            yield f"{left}{op.name} {op.attribute}" + (" : i64" if op.type == "i64" else "")
        elif op.name == "arith.cmpi":
            yield f"{left}{op.name} {op.attribute}, {args} : i64"
        elif op.name == "func.call":
            yield f"{left}{op.name} @print({args}) : (i64) -> ()"
        elif op.name == "scf.if":
            yield f"{left}{op.name} {args}" + (f" -> ({op.type}) {{" if op.to else " {")
            yield from _written(op.regions[0], indent + "  ")
            yield f"{indent}}} else {{"
            yield from _written(op.regions[1], indent + "  ")
            yield f"{indent}}}"
        elif op.operands or op.name != "scf.yield":
            name = "return" if op.name == "func.return" else op.name
            yield f"{left}{name} {args} : {op.type or 'i64'}"


def _run(body: tuple[Op, ...], names: dict[str, int], printed: list[int]) -> list[int]:
    for op in body:
        values = [names[name] for name in op.operands]
        if op.name in ("scf.yield", "func.return"):
            return values
        if op.name == "func.call":
            printed.append(values[0])
        elif op.name == "scf.if":
            yielded = _run(op.regions[0 if values[0] else 1], dict(names), printed)
            names.update(zip([op.to] if op.to else [], yielded, strict=True))
        elif op.name == "arith.constant":
            names[op.to] = int({"true": "1", "false": "0"}.get(op.attribute, op.attribute))
        elif op.name == "arith.select":
            names[op.to] = values[1] if values[0] else values[2]
        else:
            names[op.to] = wrap(int(_COMPUTED[op.attribute or op.name](*values)))
    return []


# --- reading --------------------------------------------------------------------------------------

SIGNATURES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(INTS, ("i64 i64 -> i64",)),
    "arith.constant": ("-> i64", "-> i1"),
    "arith.cmpi": ("i64 i64 -> i1",),
    "arith.select": ("i1 i64 i64 -> i64", "i1 i1 i1 -> i1"),
    "func.call": ("i64 ->",),
    "scf.if": ("i1 ->", "i1 -> i64", "i1 -> i1"),
    "scf.yield": ("->", "i64 ->", "i1 ->"),
    "func.return": ("i64 ->",),
}
"""Types of operands and result that each operation may have here."""


def require_valid(op: Op, types: Mapping[str, str]) -> None:
    """Raise Malformed unless operands, attribute, result and regions are those of its kind.

    types: of the values that it may read.
    """
    for name in op.operands:
        if name not in types:
            raise Malformed(f"%{name} is read where it is not there")
    kinds = [types[name] for name in op.operands]
    signature = " ".join((*kinds, "->", op.type if op.to else "")).strip()
    fits = signature in SIGNATURES.get(op.name, ())
    if op.name == "arith.cmpi":
        fits = fits and op.attribute in PREDICATES
    if op.name == "arith.constant":
        truth = op.attribute in ("true", "false")
        number = re.fullmatch(r"-?[0-9]{1,19}", op.attribute) is not None
        fits = fits and (truth if op.type == "i1" else number)
    if op.name == "func.call":
        fits = fits and op.attribute == "print"
    if op.name == "scf.if":
        fits = fits and len(op.regions) == 2 and all(_yields(op, part) for part in op.regions)
    if not fits:
        raise Malformed(f"{op.name} has other operands, results or attributes than it may")


def _yields(op: Op, region: tuple[Op, ...]) -> bool:
    """Whether a region ends correctly. xDSL may print an empty region if there is no result."""
    if not region:
        return not op.to
    return region[-1].name == "scf.yield" and region[-1].type == (op.type if op.to else "")


def from_plain(answer: object) -> RegionProgram:
    """Return the function that `programs/mlir_text.py` has read. Raises Malformed."""
    function = as_message(answer)
    if function is None:
        raise Malformed(str(answer))
    mark = constant("CLEANED", 0, range(2, 1000))
    got = function["attributes"].get(MARK, "nothing")
    if mark and got != f"{mark} : i64":
        raise Malformed(f"its module's {MARK} is {shown(got)}, and should be {mark}")
    params = tuple((name, kind) for name, kind in as_list(function["params"]))
    body = _from_plain(as_list(function["body"]), dict(params))
    if not body or body[-1].name != "func.return":
        raise Malformed("its function does not end with return")
    return RegionProgram(params, body)


def _from_plain(body: list[Any], types: dict[str, str]) -> tuple[Op, ...]:
    """Return a region's operations. types: of the values before it; those in it are added."""
    ops: list[Op] = []
    for name, operands, attribute, to, kind, regions in body:
        inner = tuple(_from_plain(region, dict(types)) for region in regions)
        if name in ("scf.yield", "func.return") and operands:
            kind = types.get(operands[0], "")
        op = Op(name, tuple(operands), attribute, to, kind, inner)
        require_valid(op, types)
        if to:
            types[to] = kind
        ops.append(op)
    return tuple(ops)


def reader(session: Session) -> Callable[[object], RegionProgram]:
    """Return a function that reads MLIR's text, in a process of its own. It raises Malformed."""

    def read(text: object) -> RegionProgram:
        if not isinstance(text, str) or len(text) > LONGEST:
            raise Malformed(f"it gives {shown(text)}, not a program's text")
        return from_plain(MLIR_TEXT.given(session, "reads MLIR").ask("program", text))

    return read


# --- what is left to do ---------------------------------------------------------------------------


def has_effect(op: Op) -> bool:
    """Whether the operation, or one inside it, prints."""
    return op.name == "func.call" or any(has_effect(o) for region in op.regions for o in region)


def unfinished(program: RegionProgram) -> str | None:
    """Return a message about something left to merge or remove, or None."""
    read = set(_reads(program.body))
    return _left(program.body, read, {})


def _reads(body: tuple[Op, ...]) -> Iterator[str]:
    for op in body:
        yield from op.operands
        for region in op.regions:
            yield from _reads(region)


def _left(body: tuple[Op, ...], read: set[str], above: dict[tuple[object, ...], str]) -> str | None:
    seen = dict(above)
    for op in body:
        quiet = op.name in PURE or (op.name == "scf.if" and not has_effect(op))
        if quiet and op.to not in read:
            return f"%{op.to} = {op.name} is still there, and nobody can notice when it is gone"
        if op.name in PURE:
            key = expression(op.name, op.operands, COMMUTATIVE, op.attribute, op.type)
            if key in seen:
                return f"%{op.to} = {op.name} is computed again: %{seen[key]} is that"
            seen[key] = op.to
        for region in op.regions:
            message = _left(region, read, seen)
            if message is not None:
                return message
    return None


# --- generation -----------------------------------------------------------------------------------


@dataclass
class _Generator:
    rng: random.Random
    count: int = 0
    repeated: list[Op] = field(default_factory=list[Op])

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pure(self, op: str, *operands: str, attribute: str = "", kind: str = "i64") -> Op:
        return Op(op, operands, attribute, self.name(), kind)

    def any(self, scope: dict[str, str]) -> Op:
        """Return a pure operation, often a repeated one, even from a region that is closed now."""
        rng = self.rng
        ints = [name for name, kind in scope.items() if kind == "i64"]
        fitting = [op for op in self.repeated if set(op.operands) <= set(scope)]
        if fitting and rng.random() < 0.4:
            old = rng.choice(fitting)
            turned = old.operands[::-1] if old.name in INTS and rng.random() < 0.4 else old.operands
            return replace(old, to=self.name(), operands=turned)
        roll = rng.random()
        if roll < 0.2:
            return self.pure("arith.constant", attribute=str(rng.choice((0, 1, 2, 3, -1))))
        two = (rng.choice(ints), rng.choice(ints))
        if roll < 0.35:
            return self.pure("arith.cmpi", *two, attribute=rng.choice(PREDICATES), kind="i1")
        if roll < 0.45:
            conditions = [name for name, kind in scope.items() if kind == "i1"]
            return self.pure("arith.select", rng.choice(conditions), *two)
        return self.pure(rng.choice(INTS), *two)

    def body(self, scope: dict[str, str], length: int, depth: int) -> list[Op]:
        """Return operations; their results are added to `scope`."""
        ops: list[Op] = []
        for _ in range(length):
            roll = self.rng.random()
            if roll < 0.1:
                ints = [name for name, kind in scope.items() if kind == "i64"]
                op = Op("func.call", (self.rng.choice(ints),))
            elif roll < 0.3 and depth:
                op = self.choice(scope, depth, self.rng.randint(1, 4), self.rng.random() < 0.6)
            else:
                op = self.any(scope)
                self.repeated.append(op)
            ops.append(op)
            if op.to:
                scope[op.to] = op.type
        return ops

    def choice(self, scope: dict[str, str], depth: int, length: int, gives: bool) -> Op:
        """Return an scf.if. gives: whether it has a result."""
        condition = self.rng.choice([name for name, kind in scope.items() if kind == "i1"])
        regions: list[tuple[Op, ...]] = []
        for _ in range(2):
            inside = dict(scope)
            ops = self.body(inside, length, depth - 1)
            ints = [name for name, kind in inside.items() if kind == "i64"]
            end = Op("scf.yield", (self.rng.choice(ints[-3:]),) if gives else (), type="i64")
            regions.append((*ops, end if gives else Op("scf.yield")))
        to = self.name() if gives else ""
        return Op("scf.if", (condition,), "", to, "i64" if gives else "", tuple(regions))

    def motif(self) -> list[Op]:
        """Return cases that passes often get wrong.

        Both branches and the code after them compute the same; comparisons and constants differ
        only in an attribute; operands of a subtraction are swapped; unused ifs, with and without a
        print inside.
        """
        ops: list[Op] = []
        arms: list[tuple[Op, ...]] = []
        for _ in range(2):
            product = self.pure("arith.muli", "a", "b")
            arms.append((product, Op("func.call", (product.to,)), Op("scf.yield")))
        ops.append(Op("scf.if", ("c",), regions=(arms[0], arms[1])))
        product, twice = self.pure("arith.muli", "a", "b"), self.pure("arith.muli", "b", "a")
        total = self.pure("arith.addi", product.to, twice.to)
        less = self.pure("arith.cmpi", "a", "b", attribute="slt", kind="i1")
        more = self.pure("arith.cmpi", "a", "b", attribute="sgt", kind="i1")
        one, two = (self.pure("arith.constant", attribute=n) for n in ("5", "6"))
        first = self.pure("arith.select", less.to, one.to, two.to)
        second = self.pure("arith.select", more.to, one.to, two.to)
        turned = [self.pure("arith.subi", *pair) for pair in (("a", "b"), ("b", "a"))]
        ops += [product, twice, total, less, more, one, two, first, second, *turned]
        shown_ = (total, first, second, *turned)
        ops += [Op("func.call", (op.to,)) for op in shown_]
        for noisy in (True, False):
            call = (Op("func.call", ("a",)),) if noisy else ()
            region = (*call, Op("scf.yield", ("b",), type="i64"))
            other = (Op("scf.yield", ("a",), type="i64"),)
            ops.append(Op("scf.if", ("c",), "", self.name(), "i64", (region, other)))
        return ops


def generated(rng: random.Random, number: int) -> RegionProgram:
    """Return a program; its size grows with `number`."""
    generator = _Generator(rng)
    params = {"a": "i64", "b": "i64", "c": "i1"}
    scope = dict(params)
    ops = generator.body(scope, 2 + number // 12, 2)
    at = rng.randint(0, len(ops))
    motif = generator.motif() if number % 4 == 0 else []
    result = rng.choice([name for name, kind in scope.items() if kind == "i64"][-4:])
    end = Op("func.return", (result,), type="i64")
    return RegionProgram(tuple(params.items()), (*ops[:at], *motif, *ops[at:], end))


# --- checks ---------------------------------------------------------------------------------------


def generated_many(rng: random.Random, count: int) -> list[RegionProgram]:
    """Return `count` programs, from the smallest to the largest size."""
    return [generated(rng, number * COUNT // count) for number in range(count)]


def same_types(program: RegionProgram, result: RegionProgram) -> str | None:
    """Return a message if the parameter types differ, else None."""
    if [kind for _, kind in result.params] != [kind for _, kind in program.params]:
        return "its function takes something else"
    return None


def different(program: RegionProgram, result: RegionProgram, rng: random.Random) -> str | None:
    """Return a message if printed values or result differ on one of six inputs, else None."""
    for condition in (0, 1):
        pair = [rng.choice((0, 1, -1, 7, -30, 2**63 - 1, -(2**63))) for _ in range(2)]
        for numbers in (pair, [3, 5], [5, 3]):
            arguments = [*numbers, condition]
            now, was = result.run(arguments), program.run(arguments)
            if now != was:
                return f"with {arguments} it gives {now}, not {was}"
    return None


def size(program: RegionProgram) -> int:
    """Return the number of operations, including those in regions."""
    return _count(program.body)


def _count(body: tuple[Op, ...]) -> int:
    return sum(1 + sum(map(_count, op.regions)) for op in body)


LANGUAGE = Language(
    generate=partial(generated_many, count=COUNT),
    write=str,
    reader=reader,
    fits=same_types,
    size=size,
)
"""MLIR's text, as MLIR and xDSL read and write it."""
