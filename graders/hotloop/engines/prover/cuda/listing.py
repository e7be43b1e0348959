"""clang's listing of LLVM IR as functions of blocks of instructions, with the sizes of types.

Source: https://llvm.org/docs/LangRef.html
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hotloop.engines.prover.solver import NotRead

_SCALARS = {
    "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "bfloat": 2, "float": 4,
    "double": 8, "ptr": 8, "i128": 16,
}  # fmt: skip
_NAME = r'(?:"[^"]*"|[\w.$-]+)'
_TYPE = re.compile(rf"^(%{_NAME}) = type (.*)$", re.MULTILINE)
_GLOBAL = re.compile(rf"^@({_NAME}) = (.*)$", re.MULTILINE)
_FUNCTION = re.compile(rf"^define .*?@({_NAME})\(")
_LABEL = re.compile(rf"^({_NAME}):")
_RESULT = re.compile(rf"^(%{_NAME}) = (.*)$")
_METADATA = re.compile(r", !(\w+(?:\.\w+)*) !(\d+)")
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)", re.MULTILINE)
_KIND = re.compile(r"\b(global|constant) (.*)$")
_LABELS = re.compile(rf"label (%{_NAME})")
FLAGS = re.compile(r"^(?:(?:nsw|nuw|exact|disjoint|nneg|samesign|inbounds|nusw|volatile|atomic"
                    r"|contract|nnan|ninf|nsz|arcp|afn|reassoc|fast) )+")  # fmt: skip  # fmt: skip
"""Words of instructions that do not matter here."""

MOST_BYTES = 8 << 20
MOST_INSTRUCTIONS = 60_000


@dataclass(frozen=True)
class Instruction:
    """An instruction. text: its operands, without flags and metadata; line: 0 if unknown."""

    result: str
    operation: str
    text: str
    line: int


@dataclass
class Block:
    """Instructions up to a branch."""

    name: str
    instructions: list[Instruction] = field(default_factory=list[Instruction])

    @cached_property
    def targets(self) -> list[str]:
        """Blocks that may be next."""
        return list(dict.fromkeys(_LABELS.findall(self.instructions[-1].text)))


@dataclass
class Function:
    """A function: parameters as (type with attributes, name), and blocks, the first one first."""

    name: str
    parameters: list[tuple[str, str]]
    blocks: dict[str, Block]

    @cached_property
    def order(self) -> list[str]:
        """Blocks in an order in which each comes before those that it jumps forward to."""
        done: set[str] = set()
        behind: list[str] = []
        todo: list[tuple[str, Iterator[str]]] = []

        def enter(name: str) -> None:
            done.add(name)
            todo.append((name, iter(self._block(name).targets)))

        enter(next(iter(self.blocks)))
        while todo:
            name, targets = todo[-1]
            for target in targets:
                if target not in done:
                    enter(target)
                    break
            else:
                behind.append(name)
                todo.pop()
        return behind[::-1]

    @cached_property
    def loops(self) -> dict[str, set[str]]:
        """Blocks of each loop, by its first block. Raises NotRead if one has two entries."""
        place = {name: number for number, name in enumerate(self.order)}
        before: dict[str, set[str]] = {name: set() for name in self.order}
        for name in self.order:
            for target in self._block(name).targets:
                before[target].add(name)
        loops: dict[str, set[str]] = {}
        for name in self.order:
            for head in self._block(name).targets:
                if place[head] > place[name]:
                    continue
                body, todo = loops.setdefault(head, {head}), [name]
                while todo:
                    one = todo.pop()
                    if one not in body:
                        body.add(one)
                        todo += before[one]
        for head, body in loops.items():
            entries = {one for one in body if before[one] - body}
            if entries - {head} or (self.order[0] in body and head != self.order[0]):
                raise NotRead("a loop that is entered in its middle")
        return loops

    def _block(self, name: str) -> Block:
        if name not in self.blocks or not self.blocks[name].instructions:
            raise NotRead("a jump that I do not follow")
        return self.blocks[name]


@dataclass(frozen=True)
class Variable:
    """A global variable. space: "shared", "constant" or "global". type: of what it holds."""

    name: str
    type: str
    space: str


class Listing:
    """All that a listing defines."""

    def __init__(self, text: str) -> None:
        if len(text) > MOST_BYTES:
            raise NotRead("the file is too long")
        if "\nmodule asm" in text:
            raise NotRead("inline PTX")
        self.types = Types(dict(_TYPE.findall(text)))
        self.variables = {
            f"@{name}": _variable(f"@{name}", rest) for name, rest in _GLOBAL.findall(text)
        }
        self.functions: dict[str, Function] = {}
        self._lines = {number: int(line) for number, line in _LOCATION.findall(text)}
        self._read(text)

    def kernel(self, name: str) -> Function:
        """Return the kernel of this name. Raises NotRead if it is not the only one."""
        mangled = re.compile(rf"_Z{len(name)}{re.escape(name)}(?!\d)|{re.escape(name)}$")
        one = [each for key, each in self.functions.items() if mangled.match(key)]
        if len(one) != 1:
            raise NotRead(f"there is no kernel `{name}`, or there are several")
        return one[0]

    def _read(self, text: str) -> None:
        function, block = None, None
        count = 0
        for row in text.splitlines():
            if function is None:
                if match := _FUNCTION.match(row):
                    function = Function(match[1].strip('"'), _parameters(row[match.end() :]), {})
                    block = None
            elif row == "}":
                self.functions[function.name] = function
                function = None
            elif match := _LABEL.match(row):
                block = Block(f"%{match[1]}")
                function.blocks[block.name] = block
            elif row.startswith("  ") and row.strip():
                if block is None:
                    block = function.blocks["%entry"] = Block("%entry")
                count += 1
                if (
                    row.lstrip().startswith(("]", "i"))
                    and block.instructions[-1:]
                    and (block.instructions[-1].operation == "switch")
                ):
                    last = block.instructions.pop()
                    row = f"  switch {last.text} {row.strip()}"
                block.instructions.append(self._instruction(row.strip()))
            if count > MOST_INSTRUCTIONS:
                raise NotRead("the file is too long")

    def _instruction(self, row: str) -> Instruction:
        line = 0
        for kind, number in _METADATA.findall(row):
            if kind == "dbg":
                line = self._lines.get(number, 0)
        row = re.sub(r", align \d+$", "", _METADATA.sub("", row))
        match = _RESULT.match(row)
        result, rest = (match[1], match[2]) if match else ("", row)
        operation, _, text = rest.partition(" ")
        if operation in {"tail", "notail", "musttail"}:
            operation, _, text = text.partition(" ")
        return Instruction(result, operation, FLAGS.sub("", text), line)


class Types:
    """Sizes of types on a machine with pointers of 64 bits. named: structures."""

    def __init__(self, named: dict[str, str]) -> None:
        self._named = named
        self._known: dict[str, tuple[int, int]] = {}

    def size(self, kind: str) -> int:
        """Return the size of a type, in bytes."""
        return self._of(kind)[0]

    def part(self, kind: str, index: int | None) -> tuple[str, int]:
        """Return type and place of a member; of an array, None means any element, at 0."""
        kind = self._named.get(kind, kind)
        if array := re.match(r"[\[<](\d+) x (.*)[\]>]$", kind):
            return array[2], (index or 0) * self.size(array[2])
        members = self._members(kind)
        if index is None or not 0 <= index < len(members):
            raise NotRead("a member that I do not know")
        return members[index], self._places(kind)[index]

    def is_structure(self, kind: str) -> bool:
        """Return whether a type has members."""
        return self._named.get(kind, kind).startswith(("{", "<{"))

    def shape(self, kind: str) -> tuple[list[int], int]:
        """Return an array's extents and the bytes of its elements, 1 if members differ."""
        kind = self._named.get(kind, kind)
        if array := re.match(r"\[(\d+) x (.*)\]$", kind):
            extents, each = self.shape(array[2])
            return [int(array[1]), *extents], each
        size = self.size(kind)
        each = self._common(kind)
        return ([] if each == size else [size // each]), each

    def _common(self, kind: str) -> int:
        """Return the size that all parts of a type have, or 1."""
        kind = self._named.get(kind, kind)
        if kind in _SCALARS:
            return _SCALARS[kind]
        array = re.match(r"[\[<](\d+) x (.*)[\]>]$", kind)
        sizes = {self._common(each) for each in ([array[2]] if array else self._members(kind))}
        return sizes.pop() if len(sizes) == 1 else 1

    def _of(self, kind: str) -> tuple[int, int]:
        if kind not in self._known:
            self._known[kind] = self._measure(self._named.get(kind, kind).strip())
        return self._known[kind]

    def _measure(self, kind: str) -> tuple[int, int]:
        if kind in _SCALARS:
            return _SCALARS[kind], _SCALARS[kind]
        if array := re.match(r"\[(\d+) x (.*)\]$", kind):
            size, alignment = self._of(array[2])
            return int(array[1]) * size, alignment
        if vector := re.match(r"<(\d+) x (.*)>$", kind):
            size = int(vector[1]) * self._of(vector[2])[0]
            return size, size
        if kind.startswith(("{", "<{")):
            alignments = [1, *(self._of(each)[1] for each in self._members(kind))]
            most = 1 if kind.startswith("<{") else max(alignments)
            return _up(self._places(kind)[-1], most), most
        raise NotRead(f"the type `{kind[:40]}`")

    def _members(self, kind: str) -> list[str]:
        return split(kind.strip("<>")[1:-1])

    def _places(self, kind: str) -> list[int]:
        """Return where members begin, and where the last one ends."""
        places, end = list[int](), 0
        for each in self._members(kind):
            size, alignment = self._of(each)
            start = end if kind.startswith("<{") else _up(end, alignment)
            places.append(start)
            end = start + size
        return [*places, end]


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def split(text: str) -> list[str]:
    """Split at commas that are in no brackets."""
    parts: list[str] = []
    depth, start, quoted = 0, 0, False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def first_type(text: str) -> tuple[str, str]:
    """Return the type with which a text begins, and the rest."""
    text = text.strip()
    if text[:1] in {"[", "{", "<"}:
        depth = 0
        for at, char in enumerate(text):
            depth += (char in "[{<(") - (char in "]}>)")
            if not depth:
                return text[: at + 1], text[at + 1 :].strip()
    match = re.match(rf"%{_NAME}|\w+", text)
    if match is None:
        raise NotRead("an instruction that I do not read")
    return match[0], text[match.end() :].strip()


def inside(text: str, opening: int) -> tuple[str, int]:
    """Return what is in the brackets that open there, and where they close."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[opening + 1 : at], at
    raise NotRead("an instruction that I do not read")


def _parameters(text: str) -> list[tuple[str, str]]:
    listed, _ = inside(f"({text}", 0)
    return [(each, each.split()[-1]) for each in split(listed) if each != "..."]


def _variable(name: str, rest: str) -> Variable:
    match = _KIND.search(rest)
    if match is None:
        return Variable(name, "", "global")
    kind, value = first_type(match[2])
    space = "global"
    if match[1] == "constant":
        space = "constant"
    elif value.startswith("undef") or ("external " in rest and kind.startswith("[0 x ")):
        space = "shared"
    return Variable(name, kind, space)


def strides_of(shape: Sequence[int]) -> list[int]:
    """Return the strides of an array without gaps."""
    strides, step = list[int](), 1
    for each in reversed(shape):
        strides.append(step)
        step *= each
    return strides[::-1]
