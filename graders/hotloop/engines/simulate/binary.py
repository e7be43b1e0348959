"""WebAssembly's binary format: numbers, sections, names, function bodies.

Source: https://webassembly.github.io/spec/core/binary/
"""

import struct
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

I32, I64, F32, F64, V128 = 0x7F, 0x7E, 0x7D, 0x7C, 0x7B
TYPES = frozenset({I32, I64, F32, F64, V128})
Signature = tuple[tuple[int, ...], tuple[int, ...]]
"""Types of a function's parameters and of its results."""

MAGIC = b"\0asm\1\0\0\0"


class ForbiddenInstruction(Exception):
    """The module contains something that a simulated program must not contain."""


@contextmanager
def well_formed() -> Generator[None]:
    """Raise ForbiddenInstruction for a malformed module, whatever error its reader ran into."""
    try:
        yield
    except (IndexError, KeyError, ValueError, RecursionError, struct.error):
        raise ForbiddenInstruction("the module is malformed") from None


def unsigned(value: int) -> bytes:
    """Encode a non-negative number as unsigned LEB128."""
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | 0x80 if value else low)
        if not value:
            return bytes(out)


def signed(value: int) -> bytes:
    """Encode a number as signed LEB128 (two's complement)."""
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if value == (-1 if low & 0x40 else 0):
            out.append(low)
            return bytes(out)
        out.append(low | 0x80)


def const(value: int) -> bytes:
    """Encode `i32.const` with an unsigned or a signed 32-bit number."""
    return b"\x41" + signed(value - (1 << 32) if value >= 1 << 31 else value)


def vector(items: Iterable[bytes]) -> bytes:
    """Encode a vector: the number of items, then the items."""
    parts = list(items)
    return unsigned(len(parts)) + b"".join(parts)


def named(text: str) -> bytes:
    """Encode a name: its length in bytes, then its UTF-8 bytes."""
    data = text.encode()
    return unsigned(len(data)) + data


def section(number: int, body: bytes) -> bytes:
    """Encode a section of a module: its number, its size and its body."""
    return bytes([number]) + unsigned(len(body)) + body


class BinaryReader:
    """Reads values from part of a module. Raises IndexError when it reads past the data."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    def unsigned(self) -> int:
        """Read a LEB128 number of at most 64 bits. Raises ForbiddenInstruction for a longer one."""
        data, at = self.data, self.at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                self.at = at
                return value
            if shift > 63:
                raise ForbiddenInstruction("a number of more than 64 bits")

    def signed(self) -> int:
        """Read a signed LEB128 number of at most 64 bits.

        Raises ForbiddenInstruction for a longer one.
        """
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if byte & 0x40 else value
            if shift > 63:
                raise ForbiddenInstruction("a number of more than 64 bits")

    def byte(self) -> int:
        """Read one byte."""
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count: int) -> bytes:
        """Read `count` bytes. Raises ForbiddenInstruction if fewer are left."""
        if self.at + count > self.end:
            raise ForbiddenInstruction("the module ends within a value")
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        """Read a name; invalid UTF-8 is replaced."""
        return self.take(self.unsigned()).decode(errors="replace")


@dataclass(frozen=True)
class Section:
    """A section of a module.

    number: 0 for a custom section, which has a `name`. at: offset of its body in the module.
    """

    number: int
    name: str
    at: int
    body: bytes


def sections(module: bytes) -> list[Section]:
    """Return all sections of a module.

    Raises ForbiddenInstruction if it is not a WebAssembly module of version 1, or if a section
    occurs twice.
    """
    if module[:8] != MAGIC:
        raise ForbiddenInstruction("this is no WebAssembly module of version 1")
    reader = BinaryReader(module, 8)
    parts: list[Section] = []
    while reader.at < len(module):
        number, size = reader.byte(), reader.unsigned()
        end = reader.at + size
        name = reader.name() if number == 0 else ""
        at = reader.at
        parts.append(Section(number, name, at, reader.take(end - at)))
    numbers = [s.number for s in parts if s.number]
    if len(set(numbers)) < len(numbers):
        raise ForbiddenInstruction("a section stands twice")
    return parts


def function_names(module: bytes) -> dict[int, str]:
    """Return function names by index from the name section, which the program controls."""
    body = next((s.body for s in sections(module) if s.name == "name"), b"")
    reader, names = BinaryReader(body), dict[int, str]()
    while reader.at < len(body):
        kind, size = reader.byte(), reader.unsigned()
        end = reader.at + size
        if kind == 1:
            for _ in range(reader.unsigned()):
                index = reader.unsigned()
                names[index] = reader.name()
        reader.at = end
    return names
