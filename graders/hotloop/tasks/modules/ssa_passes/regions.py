"""Programs with regions inside operations, in MLIR's text: generated, parsed, run.

They are given in the custom form that people write, and parsed in the generic form, which all MLIR
printers support. Neither MLIR nor xDSL is loaded.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from hotloop.judge.constants import constant
from hotloop.judge.questions import shown
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
class Program:
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


# --- reading the generic form ---------------------------------------------------------------------

_TOKEN = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|->|<\{|\}>|%[\w$.#-]+|[\^@#!][\w$.]+|-?[\w.]+|[(){}<>\[\],:=])'
)


def parse(text: object) -> Program:
    """Parse the generic form. Raises Malformed, also if a value is read out of its scope."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Malformed(f"it gives {shown(text)}, not a program's text")
    try:
        return _Reader(text).program()
    except (IndexError, RecursionError) as wrong:
        raise Malformed("its text ends too early, or nests too deep") from wrong


@dataclass
class _Reader:
    text: str
    words: list[str] = field(default_factory=list[str])
    at: int = 0

    def __post_init__(self) -> None:
        place = 0
        rest = self.text.rstrip()
        while place < len(rest):
            found = _TOKEN.match(rest, place)
            if found is None:
                raise Malformed(f"{shown(rest[place : place + 20])} is not read as MLIR")
            self.words.append(found[1])
            place = found.end()

    def take(self, *expected: str) -> str:
        word = self.words[self.at]
        if expected and word not in expected:
            raise Malformed(f"{shown(word)} stands where {expected[0]} should")
        self.at += 1
        return word

    def sees(self, *words: str) -> bool:
        return self.at < len(self.words) and self.words[self.at] in words

    def program(self) -> Program:
        """Parse a module with the function f; declarations are skipped."""
        found: list[Program] = []
        self.take('"builtin.module"')
        for word in ("(", ")"):
            self.take(word)
        attributes = self.attributes()
        self.take("(")
        self.take("{")
        self.label()
        while not self.sees("}"):
            function = self.function()
            found += [function] if function is not None else []
        self.take("}")
        self.take(")")
        mark = constant("CLEANED", 0, range(2, 1000))
        if mark:
            # Attributes may also follow the region, where `ending` would skip them.
            _require_mark(attributes | self.attributes(), mark)
        self.ending()
        if len(found) != 1 or self.at != len(self.words):
            raise Malformed("it is not one module with one function f")
        return found[0]

    def function(self) -> Program | None:
        self.take('"func.func"')
        for word in ("(", ")"):
            self.take(word)
        attributes = self.attributes()
        self.take("(")
        self.take("{")
        params = self.label()
        body = self.body(dict(params))
        self.take("}")
        self.take(")")
        self.ending()
        if attributes.get("sym_name") != '"f"':
            if body:
                raise Malformed("it has another function than f")
            return None
        if not body or body[-1].name != "func.return":
            raise Malformed("its function does not end with return")
        return Program(tuple(params), body)

    def label(self) -> list[tuple[str, str]]:
        """Parse a block's label, if present; return its arguments."""
        params: list[tuple[str, str]] = []
        if not self.words[self.at].startswith("^"):
            return params
        self.take()
        if self.sees("("):
            self.take("(")
            while not self.sees(")"):
                name = self.take()
                self.take(":")
                params.append((_bare(name), self.take("i64", "i1")))
                if self.sees(","):
                    self.take(",")
            self.take(")")
        self.take(":")
        return params

    def attributes(self) -> dict[str, str]:
        """Parse both kinds of attributes, <{…}> and {…}, if present."""
        found: dict[str, str] = {}
        for opening, closing in (("<{", "}>"), ("{", "}")):
            if not self.sees(opening):
                continue
            self.take(opening)
            while not self.sees(closing):
                key = self.take()
                found[key] = ""
                if self.sees("="):
                    self.take("=")
                    found[key] = self.value(closing)
                if self.sees(","):
                    self.take(",")
            self.take(closing)
        return found

    def value(self, closing: str) -> str:
        """Return all words up to the next comma or closing bracket outside of nested brackets."""
        words: list[str] = []
        depth = 0
        while depth or not self.sees(",", closing):
            word = self.take()
            depth += (word in ("(", "[", "{", "<", "<{")) - (word in (")", "]", "}", ">", "}>"))
            words.append(word)
        return " ".join(words)

    def ending(self) -> list[str]:
        """Parse `: (types) -> types`; return the result types."""
        self.attributes()
        self.take(":")
        self.take("(")
        while not self.sees(")"):
            self.take("i64", "i1", ",")
        self.take(")")
        self.take("->")
        if not self.sees("("):
            return [self.take("i64", "i1")]
        self.take("(")
        types: list[str] = []
        while not self.sees(")"):
            types.append(self.take("i64", "i1"))
            if self.sees(","):
                self.take(",")
        self.take(")")
        return types

    def body(self, known: dict[str, str]) -> tuple[Op, ...]:
        """Parse operations up to the region's end, and add their results to `known`."""
        ops: list[Op] = []
        while not self.sees("}"):
            ops.append(self.op(known))
        for early in ops[:-1]:
            if early.name in ("scf.yield", "func.return"):
                raise Malformed("something stands behind the end of a block")
        return tuple(ops)

    def op(self, known: dict[str, str]) -> Op:
        to = ""
        if self.words[self.at].startswith("%"):
            to = _bare(self.take())
            self.take("=")
        name = self.take().strip('"')
        operands = self.operands(known)
        attributes = self.attributes()
        regions = self.regions(name, known)
        types = self.ending()
        op = Op(name, operands, "", to, types[0] if types else "", regions)
        op = _checked(op, attributes, [known[operand] for operand in operands])
        if len(types) != bool(to) or to in known:
            raise Malformed(f"%{to or name} does not name one result, or is taken")
        if to:
            known[to] = op.type
        return op

    def operands(self, known: dict[str, str]) -> tuple[str, ...]:
        """Parse operands. Raises Malformed if one is unknown."""
        found: list[str] = []
        self.take("(")
        while not self.sees(")"):
            found.append(_bare(self.take()))
            if found[-1] not in known:
                raise Malformed(f"%{found[-1]} is read where it is not there")
            if self.sees(","):
                self.take(",")
        self.take(")")
        return tuple(found)

    def regions(self, name: str, known: dict[str, str]) -> tuple[tuple[Op, ...], ...]:
        """Parse regions; what they define is visible inside only."""
        found: list[tuple[Op, ...]] = []
        if not self.sees("("):
            return ()
        self.take("(")
        while not self.sees(")"):
            self.take("{")
            if self.label():
                raise Malformed(f"a block of {name} has arguments")
            found.append(self.body(dict(known)))
            self.take("}")
            if self.sees(","):
                self.take(",")
        self.take(")")
        return tuple(found)


def _require_mark(attributes: Mapping[str, str], mark: int) -> None:
    # xDSL writes the name in quotes, MLIR without.
    found = attributes.get(MARK, attributes.get(f'"{MARK}"', "nothing"))
    if found != f"{mark} : i64":
        raise Malformed(f"its module's {MARK} is {shown(found)}, and should be {mark}")


def _bare(word: str) -> str:
    if not word.startswith("%") or len(word) < 2:
        raise Malformed(f"{shown(word)} is no value's name")
    return word[1:]


def _checked(op: Op, attributes: dict[str, str], kinds: list[str]) -> Op:
    """Return the operation with its attribute.

    Raises Malformed if operands, result or regions are wrong.
    """
    flags = attributes.get("overflowFlags", "none")
    if "nsw" in flags or "nuw" in flags:
        raise Malformed(f"{op.name} promises that nothing overflows")
    if op.name in INTS:
        fits = kinds == ["i64", "i64"] and op.type == "i64"
    elif op.name == "arith.constant":
        value = attributes.get("value", "").split(" ")[0]
        op = replace(op, attribute=value)
        good = {"i1": ("true", "false")}.get(op.type, (value,))
        fits = not kinds and value in good and (op.type == "i1" or _is_int(value))
    elif op.name == "arith.cmpi":
        number = attributes.get("predicate", "").split(" ")[0]
        known = number.isdigit() and int(number) < len(PREDICATES)
        op = replace(op, attribute=PREDICATES[int(number)] if known else "")
        fits = known and kinds == ["i64", "i64"] and op.type == "i1"
    elif op.name == "arith.select":
        fits = kinds == ["i1", op.type, op.type]
    elif op.name == "func.call":
        fits = kinds == ["i64"] and attributes.get("callee") == "@print"
    elif op.name == "scf.if":
        ends = [region[-1:] for region in op.regions]
        fits = kinds == ["i1"] and len(ends) == 2 and all(_yields(op, end) for end in ends)
    else:
        fits = op.name in ("scf.yield", "func.return") and len(kinds) <= 1
        op = replace(op, type=kinds[0] if kinds else "")
        return op if fits and not op.to else _refuse(op)
    return op if fits else _refuse(op)


def _yields(op: Op, end: tuple[Op, ...]) -> bool:
    """Whether a region ends correctly. xDSL may print an empty region if there is no result."""
    if not end:
        return not op.to
    return end[0].name == "scf.yield" and end[0].type == (op.type if op.to else "")


def _is_int(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,19}", text) is not None


def _refuse(op: Op) -> Op:
    raise Malformed(f"{op.name} has other operands, results or attributes than it may")


# --- what is left to do ---------------------------------------------------------------------------


def has_effect(op: Op) -> bool:
    """Whether the operation, or one inside it, prints."""
    return op.name == "func.call" or any(has_effect(o) for region in op.regions for o in region)


def unfinished(program: Program) -> str | None:
    """Return a message about something left to merge or remove, or None."""
    read = set(_reads(program.body))
    return _left(program.body, read, {})


def _reads(body: tuple[Op, ...]) -> Iterator[str]:
    for op in body:
        yield from op.operands
        for region in op.regions:
            yield from _reads(region)


def _left(body: tuple[Op, ...], read: set[str], above: dict[tuple[str, ...], str]) -> str | None:
    seen = dict(above)
    for op in body:
        quiet = op.name in PURE or (op.name == "scf.if" and not has_effect(op))
        if quiet and op.to not in read:
            return f"%{op.to} = {op.name} is still there, and nobody can notice when it is gone"
        if op.name in PURE:
            parts = sorted(op.operands) if op.name in COMMUTATIVE else op.operands
            key = (op.name, op.attribute, op.type, *parts)
            if key in seen:
                return f"%{op.to} = {op.name} is computed again: %{seen[key]} is that"
            seen[key] = op.to
        for region in op.regions:
            found = _left(region, read, seen)
            if found is not None:
                return found
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


def generated(rng: random.Random, number: int) -> Program:
    """Return a program; its size grows with `number`."""
    generator = _Generator(rng)
    params = {"a": "i64", "b": "i64", "c": "i1"}
    scope = dict(params)
    ops = generator.body(scope, 2 + number // 12, 2)
    at = rng.randint(0, len(ops))
    motif = generator.motif() if number % 4 == 0 else []
    result = rng.choice([name for name, kind in scope.items() if kind == "i64"][-4:])
    end = Op("func.return", (result,), type="i64")
    return Program(tuple(params.items()), (*ops[:at], *motif, *ops[at:], end))


# --- rungs ----------------------------------------------------------------------------------------


def generated_many(rng: random.Random, count: int) -> list[Program]:
    """Return `count` programs, from the smallest to the largest size."""
    return [generated(rng, number * COUNT // count) for number in range(count)]


def same_types(given: Program, result: Program) -> str | None:
    """Return a message if the parameter types differ, else None."""
    if [kind for _, kind in result.params] != [kind for _, kind in given.params]:
        return "its function takes something else"
    return None


def different(given: Program, result: Program, rng: random.Random) -> str | None:
    """Return a message if printed values or result differ on one of six inputs, else None."""
    for condition in (0, 1):
        pair = [rng.choice((0, 1, -1, 7, -30, 2**63 - 1, -(2**63))) for _ in range(2)]
        for numbers in (pair, [3, 5], [5, 3]):
            arguments = [*numbers, condition]
            now, was = result.run(arguments), given.run(arguments)
            if now != was:
                return f"with {arguments} it gives {now}, not {was}"
    return None


def size(program: Program) -> int:
    """Return the number of operations, including those in regions."""
    return _count(program.body)


def _count(body: tuple[Op, ...]) -> int:
    return sum(1 + sum(map(_count, op.regions)) for op in body)


LANGUAGE = Language(
    generated=partial(generated_many, count=COUNT),
    write=str,
    read=parse,
    fits=same_types,
    size=size,
)
"""MLIR's text, as MLIR and xDSL read and write it."""
