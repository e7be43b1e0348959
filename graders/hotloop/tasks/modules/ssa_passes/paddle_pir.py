"""Programs with regions for PaddlePaddle: written as a Python function, read from PIR's text.

`paddle.jit.to_static` captures the function; its result, and what a pass made of it, is parsed here
into a program of `regions`. Paddle itself is not loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from hotloop.judge.questions import shown
from hotloop.tasks.modules.ssa_passes.cleaning import Language
from hotloop.tasks.modules.ssa_passes.language import Malformed
from hotloop.tasks.modules.ssa_passes.regions import (
    INTS,
    Op,
    RegionProgram,
    generated_many,
    require_valid,
    same_types,
    size,
)

LONGEST = 200_000
DEEPEST = 50

_SIGNS: Mapping[str, str] = dict(zip(INTS, "+-*&|^", strict=True))
_COMPARED: Mapping[str, tuple[str, str]] = {
    "eq": ("==", "pd_op.equal"),
    "ne": ("!=", "pd_op.not_equal"),
    "slt": ("<", "pd_op.less_than"),
    "sle": ("<=", "pd_op.less_equal"),
    "sgt": (">", "pd_op.greater_than"),
    "sge": (">=", "pd_op.greater_equal"),
}
_ARITHMETIC: Mapping[str, str] = {
    "pd_op.add": "arith.addi",
    "pd_op.subtract": "arith.subi",
    "pd_op.multiply": "arith.muli",
    "pd_op.bitwise_and": "arith.andi",
    "pd_op.bitwise_or": "arith.ori",
    "pd_op.bitwise_xor": "arith.xori",
}
_TERMS: Mapping[str, str] = {
    **{arith: op for op, arith in _ARITHMETIC.items()},
    "arith.constant": "pd_op.full",
    "arith.cmpi": "a comparison",
    "arith.select": "pd_op.where",
    "func.call": "pd_op.print",
    "func.return": "pd_op.fetch",
    "scf.if": "pd_op.if",
    "scf.yield": "cf.yield",
}
_PREDICATES: Mapping[str, str] = {op: predicate for predicate, (_, op) in _COMPARED.items()}
_TYPES: Mapping[str, str] = {"tensor<i64>": "i64", "tensor<b>": "i1"}
_INDENT = "    "
INPUTS = ["a", "b", "c"]
"""The inputs' names in the function; the order decides where a captured program has others."""


# --- writing --------------------------------------------------------------------------------------


def source(program: RegionProgram) -> str:
    """Return a Python function f of 0-D tensors: int64 for i64, bool for i1."""
    params = ", ".join(name for name, _ in program.params)
    return "\n".join([f"def f({params}):", *_written(program.body, _INDENT, "")]) + "\n"


def _written(body: tuple[Op, ...], indent: str, target: str) -> Iterator[str]:
    """Yield the source's lines. target: the name to assign a region's yielded value to."""
    for op in body:
        if op.name == "scf.if":
            yield f"{indent}if {op.operands[0]}:"
            yield from _branch(op.regions[0], indent + _INDENT, op.to)
            yield f"{indent}else:"
            yield from _branch(op.regions[1], indent + _INDENT, op.to)
        elif op.name == "scf.yield":
            yield from (f"{indent}{target} = {name}" for name in op.operands)
        else:
            yield indent + _statement(op)


def _branch(body: tuple[Op, ...], indent: str, target: str) -> list[str]:
    return list(_written(body, indent, target)) or [f"{indent}pass"]


def _statement(op: Op) -> str:
    names = op.operands
    if op.name == "func.return":
        return f"return {names[0]}"
    if op.name == "func.call":
        return f"print({names[0]})"
    if op.name == "arith.constant":
        return f'{op.to} = paddle.full([], {op.attribute}, "int64")'
    if op.name == "arith.select":
        return f"{op.to} = paddle.where({', '.join(names)})"
    sign = _COMPARED[op.attribute][0] if op.name == "arith.cmpi" else _SIGNS[op.name]
    return f"{op.to} = {names[0]} {sign} {names[1]}"


# --- reading --------------------------------------------------------------------------------------

_LINE = re.compile(
    r"\((?P<to>%\d+)?\) = \"(?P<op>[\w.]+)\" \((?P<operands>[^()]*)\) \{(?P<attributes>[^{}]*)\}"
    r"(?: : \([^()]*\))? ->(?: +(?P<type>tensor\S+))?(?P<opens> +\{)?"
)


def parse(text: object) -> RegionProgram:
    """Parse a PIR program. Raises Malformed, also if a value is read out of its scope."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Malformed(f"it gives {shown(text)}, not a program's text")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or lines[0] != "{" or lines[-1] != "}":
        raise Malformed("it does not give the text of a PIR program")
    return _Reader(lines[1:-1]).program()


@dataclass
class _Reader:
    lines: list[str]
    at: int = 0
    params: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    names: list[str] = field(default_factory=list[str])
    used: set[str] = field(default_factory=set[str])

    def program(self) -> RegionProgram:
        """Parse all: inputs, and a body that ends with a fetch."""
        body = self.body({}, 0)
        if self.at != len(self.lines):
            raise Malformed(f"{shown(self.lines[self.at])} stands behind its end")
        if not body or body[-1].name != "func.return":
            raise Malformed("nothing is fetched at its end")
        params = self.params
        if sorted(self.names) == INPUTS:
            # A program is fed by name, so their order says nothing.
            params = [params[self.names.index(name)] for name in INPUTS]
        return RegionProgram(tuple(params), body)

    def body(self, known: dict[str, str], depth: int) -> tuple[Op, ...]:
        """Parse up to the line that closes the region, and add its definitions to `known`."""
        if depth > DEEPEST:
            raise Malformed("its regions nest too deep")
        ops: list[Op] = []
        while self.at < len(self.lines) and not self.lines[self.at].startswith("}"):
            if ops and ops[-1].name in ("scf.yield", "func.return"):
                raise Malformed("something stands behind the end of a block")
            op = self.op(known, depth)
            ops += [op] if op is not None else []
        return tuple(ops)

    def op(self, known: dict[str, str], depth: int) -> Op | None:
        """Parse one operation; return None for an input."""
        match = _LINE.fullmatch(self.lines[self.at])
        if match is None:
            raise Malformed(f"{shown(self.lines[self.at])} is not read as PIR")
        self.at += 1
        name, to = match["op"], (match["to"] or "").removeprefix("%")
        operands = self.operands(match["operands"], known)
        kind = _TYPES.get(match["type"] or "", "")
        if bool(match["opens"]) != (name == "pd_op.if") or bool(match["type"]) != bool(to):
            raise Malformed(f"{name} has a region or a result that it may not have, or lacks it")
        if to and (to in self.used or not kind):
            raise Malformed(f"%{to} is defined twice, or is no int64 or bool")
        self.used.add(to)
        if name == "pd_op.data":
            return self.input(match["attributes"], to, kind, known, depth)
        regions = self.regions(known, depth) if match["opens"] else ()
        if name in ("cf.yield", "pd_op.fetch") and operands:
            kind = known[operands[0]]
        op = _as_region_op(name, operands, match["attributes"], to, kind, regions)
        require_valid(op, known)
        if op.to:
            known[op.to] = op.type
        return op

    def input(self, attributes: str, to: str, kind: str, known: dict[str, str], depth: int) -> None:
        if depth:
            raise Malformed("an input stands in a region")
        self.names.append(_attribute(attributes, "name").strip('"'))
        self.params.append((to, kind))
        known[to] = kind

    def operands(self, text: str, known: dict[str, str]) -> tuple[str, ...]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        for name in names:
            if not name.startswith("%") or name[1:] not in known:
                raise Malformed(f"{shown(name)} is read where it is not there")
        return tuple(name[1:] for name in names)

    def regions(self, known: dict[str, str], depth: int) -> tuple[tuple[Op, ...], ...]:
        """Parse both regions; what they define is visible inside only."""
        first = self.body(dict(known), depth + 1)
        self.take("} else {")
        second = self.body(dict(known), depth + 1)
        self.take("}")
        return first, second

    def take(self, line: str) -> None:
        if self.at >= len(self.lines) or self.lines[self.at] != line:
            raise Malformed(f"a region of an if is not closed by {shown(line)}")
        self.at += 1


def _attribute(attributes: str, name: str) -> str:
    """Return the attribute's text; empty if absent."""
    match = re.search(rf"(?:^|,){name}:([^,]*)", attributes)
    return match[1] if match is not None else ""


def _as_region_op(
    name: str,
    operands: tuple[str, ...],
    attributes: str,
    to: str,
    kind: str,
    regions: tuple[tuple[Op, ...], ...],
) -> Op:
    """Return the operation as MLIR's dialects name it.

    Raises Malformed for all other operations.
    """
    if name in _ARITHMETIC:
        return Op(_ARITHMETIC[name], operands, "", to, kind)
    if name in _PREDICATES:
        return Op("arith.cmpi", operands, _PREDICATES[name], to, kind)
    if name == "pd_op.full":
        return Op("arith.constant", operands, _attribute(attributes, "value"), to, kind)
    if name == "pd_op.where":
        return Op("arith.select", operands, "", to, kind)
    if name == "pd_op.if":
        return Op("scf.if", operands, "", to, kind, regions)
    if name == "pd_op.print":
        # Its result equals its operand; these programs do not use it.
        return Op("func.call", operands, "print")
    if name == "cf.yield" and not to:
        return Op("scf.yield", operands, type=kind)
    if name == "pd_op.fetch":
        return Op("func.return", operands, type=kind)
    raise Malformed(f"{name} is in no program that it was given")


# --- languages ------------------------------------------------------------------------------------


def _language(count: int, entry: str | None = None) -> Language[RegionProgram, RegionProgram]:
    generate = partial(generated_many, count=count)
    return Language(generate, source, lambda _session: parse, same_types, size, _TERMS, entry)


CAPTURED = _language(40, "captured_text")
"""Fewer programs, since capturing one takes a tenth of a second."""

CLEANED = _language(80)
