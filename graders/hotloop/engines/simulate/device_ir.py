"""Reads kernels and variables from clang's LLVM IR of the device code, and edits that IR.

Source: https://llvm.org/docs/LangRef.html
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from hotloop.engines.simulate import layout
from hotloop.engines.simulate.instrument import ArgumentSlot, ParameterKind

MARKER = "hotloop.marker"
"""A variable with a non-zero value: without one the linker map lists no variables."""

_GLOBAL = re.compile(r'^@("[^"]+"|[\w.$]+) = (.*)$', re.MULTILINE)
_VOLATILE = re.compile(
    r"^( +(?:%[\w.]+ = load volatile [^,]+|store volatile .+?), "
    r"ptr (.+), align \d+(, !dbg !\d+).*)$",
    re.MULTILINE,
)
_COPY = re.compile(
    r"^ +call void @llvm\.memcpy\.p0\.p0\.i32\(ptr align (\d+) (.+), ptr align (\d+) (.+), "
    r"i32 (\d+), i1 false\)(, !dbg !\d+)?, !tbaa\.struct !(\d+)$",
    re.MULTILINE,
)
_MEMBERS = re.compile(
    r"^!(\d+) = !\{(i64 \d+, i64 \d+, !\d+(?:, i64 \d+, i64 \d+, !\d+)*)\}", re.MULTILINE
)
_ALIASING = re.compile(r", !tbaa(?:\.struct)? !\d+")
_ATTRIBUTES = re.compile(r"^(attributes #\d+ = \{)", re.MULTILINE)
_TYPE = re.compile(r'^(%"[^"]+"|%[\w.$]+) = type (.*)$', re.MULTILINE)
_NAMED = re.compile(r'%"[^"]+"|%[\w.$]+')
_SIZES = {
    "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8, "ptr": 4,
}  # fmt: skip
_KINDS: dict[str, ParameterKind] = {"ptr": "pointer", "float": "float", "double": "float"}


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel in the listing. symbol: its linker name.

    most_threads: the bound of `__launch_bounds__`, or 1024.
    """

    symbol: str
    parameters: tuple[ArgumentSlot, ...]
    most_threads: int


@dataclass(frozen=True)
class DeviceCode:
    """Device code of one source.

    text: the edited listing, with shared memory in its own section. shared, globals, constants,
    managed: names of variables.
    """

    text: str
    kernels: tuple[DeviceKernel, ...]
    shared: tuple[str, ...]
    globals: tuple[str, ...]
    constants: tuple[str, ...]
    managed: tuple[str, ...]


def at_addresses(listing: str, addresses: dict[str, int]) -> str:
    """Return the listing with these variables replaced by their fixed addresses."""
    for name, address in addresses.items():
        listing = re.sub(rf"^@{re.escape(name)} = .*\n", "", listing, flags=re.MULTILINE)
        listing = re.sub(
            rf"@{re.escape(name)}(?![\w.$])", f"inttoptr (i32 {address} to ptr)", listing
        )
    return listing


def with_shadows(listing: str, variables: Sequence[str]) -> str:
    """Return the host listing with its shadows of device variables together in one section."""
    for name in variables:
        put = rf'@{name} = weak global \1 zeroinitializer, section "hotloop_shadow"\2'
        listing = re.sub(_shadow(name), put, listing, flags=re.MULTILINE)
    return listing


def is_shadowed(listing: str, name: str) -> bool:
    """Return False for a constant that host code has with its value: both sides have their own."""
    return re.search(_shadow(name), listing, re.MULTILINE) is not None


def _shadow(name: str) -> str:
    return rf"^@{re.escape(name)} = .*?\b(?:global|constant) (.*) undef(.*)$"


_ASSEMBLY = re.compile(r'\basm (?:[a-z]+ )*"(?!")[^\n]*?, !dbg !(\d+)')


def assembly(listing: str) -> tuple[str, int] | None:
    """Return file and line of the first inline assembly that has a text, or None."""
    match = _ASSEMBLY.search(listing)
    if match is None:
        return None
    file = _field(listing, _field(listing, match[1], "scope"), "file")
    return _field(listing, file, "filename"), int(_field(listing, match[1], "line") or 0)


def _field(listing: str, node: str, name: str) -> str:
    """Return a field of a node of the debug information."""
    value = re.search(rf"^!{node} = .*?\b{name}: !?\"?([^,\")]+)", listing, re.MULTILINE)
    return value[1] if value else ""


def copied_tensor_map(listing: str) -> tuple[str, int] | None:
    """Return file and line of a kernel with a tensor map that is no `__grid_constant__`, or None.

    nvcc copies such a parameter to each thread's local memory, where a copy engine cannot read it.
    """
    kernels = _annotated(listing, "hotloop_kernel")
    sizes = _Sizes(listing)
    constant = next(
        (name for name, text in _STRING.findall(listing) if text == "hotloop_grid_constant"), ""
    )
    for name, parameters in _functions(listing):
        if name not in kernels:
            continue
        start = listing.index(f"@{name}(")
        body = listing[start : listing.index("\n}\n", start)]
        scope = re.search(r"!dbg !(\d+)", body)
        for text in parameters:
            kind, _, parameter = text.rpartition(" ")
            by_value = re.search(r"byval\((.*?)\)", kind)
            if by_value is None or not sizes.holds(by_value[1], "%struct.CUtensorMap"):
                continue
            if f"annotation.p0.p0(ptr {parameter}, ptr @{constant}," in body:
                continue
            node = scope[1] if scope else ""
            file = _field(listing, _field(listing, node, "file"), "filename")
            return file, int(_field(listing, node, "line") or 0)
    return None


def device_code(listing: str) -> DeviceCode:
    """Return kernels and variables of one source, and the listing to compile."""
    shared: list[str] = []
    writable: list[str] = []
    constants: list[str] = []
    dynamic: list[str] = []

    def changed(match: re.Match[str]) -> str:
        name, rest = match[1].strip('"'), match[2]
        if re.search(r"\bexternal .*global \[0 x ", rest):
            dynamic.append(match[1])
            return ""
        if re.search(r"\bglobal .* undef(,|$)", rest) and "externally_initialized" not in rest:
            shared.append(name)
            return _shared(match[1], rest)
        if (
            not name.startswith(("llvm.", ".str", "__const"))
            and 'section "llvm.metadata"' not in rest
        ):
            if re.search(r"\bconstant ", rest) and "externally_initialized" in rest:
                constants.append(name)
                # The optimizer would remove a store to a constant, and nothing would be found.
                return f"@{match[1]} = {rest.replace(' constant ', ' global ', 1)}"
            if re.search(r"\bglobal ", rest) and "external " not in rest:
                writable.append(name)
        return match[0]

    text = _GLOBAL.sub(changed, listing)
    text = at_addresses(text, dict.fromkeys(dynamic, layout.DYNAMIC))
    text = _ALIASING.sub("", _by_members(text))
    text = _VOLATILE.sub(_announced, text)
    # Otherwise the optimizer reads s in any case for `c ? s : 0`.
    text = _ATTRIBUTES.sub(r"\1 sanitize_thread", text)
    text += f"\n@{MARKER} = weak global i32 1\n"
    managed = [
        n
        for n in writable
        if re.search(rf'^@{re.escape(n)} = .*section "hotloop_managed"', listing, re.MULTILINE)
    ]
    return DeviceCode(
        text,
        tuple(_kernels(listing)),
        tuple(shared),
        tuple(writable),
        tuple(constants),
        tuple(managed),
    )


def _announced(match: re.Match[str]) -> str:
    """Announce a volatile access. Only a read may be waiting for another thread."""
    access, address, place = match.groups()
    call = "hotloop_before_volatile" if " = load " in access else "hotloop_volatile"
    return f"  call void @{call}(ptr {address}){place}\n{access}"


def _by_members(listing: str) -> str:
    """Copy objects member by member, so that uninitialized padding between members is not read.

    Only type-based alias information, which clang adds to a copy, has the members' places.
    """
    members = {
        number: [tuple(map(int, pair)) for pair in re.findall(r"i64 (\d+), i64 (\d+)", places)]
        for number, places in _MEMBERS.findall(listing)
    }
    count = 0

    def copies(match: re.Match[str]) -> str:
        nonlocal count
        to_align, to, from_align, source, size, place, number = match.groups(default="")
        parts = members.get(number, [])
        if sum(length for _, length in parts) >= int(size):
            return match[0]
        lines: list[str] = []
        for offset, length in parts:
            count += 1
            names = f"%hotloop.to.{count}", f"%hotloop.from.{count}"
            for name, address in zip(names, (to, source), strict=True):
                lines.append(f"  {name} = getelementptr i8, ptr {address}, i32 {offset}{place}")
            aligns = (gcd(offset, int(align)) for align in (to_align, from_align))
            ends = (f"ptr align {a} {name}" for a, name in zip(aligns, names, strict=True))
            lines.append(
                f"  call void @llvm.memcpy.p0.p0.i32({', '.join(ends)}, i32 {length}, i1 false)"
                f"{place}"
            )
        return "\n".join(lines)

    return _COPY.sub(copies, listing)


_LINKAGE = (
    "internal", "private", "linkonce_odr", "weak_odr", "dso_local", "local_unnamed_addr",
    "unnamed_addr",
)  # fmt: skip


def _shared(name: str, rest: str) -> str:
    """Define a shared variable that the optimizer cannot assume values of, followed by a gap."""
    rest = re.sub(rf"^(?:(?:{'|'.join(_LINKAGE)}) )*", "weak ", rest)
    rest = re.sub(r"\bundef(,|$)", r'zeroinitializer, section "hotloop_shared"\1', rest)
    rest = re.sub(r", comdat(\([^)]*\))?", "", rest)
    gap = name.strip('"') + ".gap"
    behind = '[128 x i8] zeroinitializer, section "hotloop_shared", align 16'
    return f'@{name} = {rest}\n@"{gap}" = weak global {behind}'


def _kernels(listing: str) -> list[DeviceKernel]:
    bounds = _annotated(listing, "hotloop_bounds")
    kernels = _annotated(listing, "hotloop_kernel")
    sizes = _Sizes(listing)
    return [
        DeviceKernel(name, _placed(parameters, sizes), bounds.get(name, 1024))
        for name, parameters in _functions(listing)
        if name in kernels
    ]


def _functions(listing: str) -> list[tuple[str, list[str]]]:
    """Return names and parameters of all functions that the listing defines."""
    functions: list[tuple[str, list[str]]] = []
    for line in listing.splitlines():
        if not line.startswith("define "):
            continue
        at = line.index("@") + 1
        opening = line.index("(", line.index('"', at + 1) if line[at] == '"' else at)
        name = line[at:opening].strip('"')
        functions.append((name, _split(line[opening + 1 :])))
    return functions


def _split(text: str) -> list[str]:
    """Split at commas up to the closing bracket, ignoring nested ones."""
    parts: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>" and depth:
            depth -= 1
        elif char == ")" or (char == "," and not depth):
            parts.append(text[start:at].strip())
            start = at + 1
            if char == ")":
                break
    return [part for part in parts if part]


_STRING = re.compile(
    r'^@([\w.]+) = private unnamed_addr constant \[\d+ x i8\] c"([^"\\]*)\\00"', re.MULTILINE
)
_ANNOTATION = re.compile(
    r"\{ ptr @(\"[^\"]+\"|[\w.$]+), ptr @([\w.]+), ptr @[\w.]+, i32 \d+, ptr (null|@[\w.]+) \}"
)
_ARGUMENTS = re.compile(r"^@([\w.]+) = .*\{ i\d+ \} \{ i\d+ (\d+) \}", re.MULTILINE)


def _annotated(listing: str, what: str) -> dict[str, int]:
    """Return functions with the annotation `what`, and its number (0 if it has none)."""
    strings = dict(_STRING.findall(listing))
    arguments = {name: int(value) for name, value in _ARGUMENTS.findall(listing)}
    line = next(
        (row for row in listing.splitlines() if row.startswith("@llvm.global.annotations")), ""
    )
    return {
        function.strip('"'): arguments.get(argument.lstrip("@"), 0)
        for function, text, argument in _ANNOTATION.findall(line)
        if strings.get(text) == what
    }


def _placed(parameters: list[str], sizes: _Sizes) -> tuple[ArgumentSlot, ...]:
    """Return offset and size of each parameter, packed one after the other with its alignment."""
    slots: list[ArgumentSlot] = []
    offset = 0
    for text in parameters:
        by_value = re.search(r"byval\((.*?)\)(?: align (\d+))?", text)
        if by_value:
            size, alignment = sizes.of(by_value[1])
            alignment = max(alignment, int(by_value[2] or 1))
        else:
            size = alignment = _SIZES.get(text.split()[0], 0) or 16
        holds_pointer = by_value is not None and sizes.holds_pointer(by_value[1])
        offset = (offset + alignment - 1) // alignment * alignment
        kind = "object" if by_value else _KINDS.get(text.split()[0], "integer")
        slots.append(ArgumentSlot(offset, size, kind, "signext" in text, holds_pointer))
        offset += size
    return tuple(slots)


class _Sizes:
    """Computes size and alignment of the listing's types."""

    def __init__(self, listing: str) -> None:
        self.types: dict[str, str] = dict(_TYPE.findall(listing))

    def holds_pointer(self, kind: str) -> bool:
        """True if the type contains a pointer, directly or in a nested type."""
        inner = [self.types.get(name, "") for name in _NAMED.findall(kind)]
        return bool(re.search(r"\bptr\b", _NAMED.sub("", kind))) or any(
            self.holds_pointer(of) for of in inner
        )

    def holds(self, kind: str, what: str) -> bool:
        """True if the type is, or contains, the named type `what`."""
        names = _NAMED.findall(kind)
        return what in names or any(self.holds(self.types.get(n, ""), what) for n in names)

    def of(self, kind: str) -> tuple[int, int]:
        """Return size and alignment of a type, in bytes."""
        kind = kind.strip()
        if kind in _SIZES:
            return _SIZES[kind], _SIZES[kind]
        if kind in self.types:
            return self.of(self.types[kind])
        array = re.match(r"\[(\d+) x (.*)\]$", kind)
        if array:
            size, alignment = self.of(array[2])
            return int(array[1]) * size, alignment
        vector = re.match(r"<(\d+) x (.*)>$", kind)
        if vector and not kind.startswith("<{"):
            size = int(vector[1]) * self.of(vector[2])[0]
            return size, size
        packed = kind.startswith("<{")
        total, most = 0, 1
        for part in _split(kind.strip("<>")[1:-1] + ")"):
            size, alignment = self.of(part)
            alignment = 1 if packed else alignment
            total = (total + alignment - 1) // alignment * alignment + size
            most = max(most, alignment)
        return (total + most - 1) // most * most, most
