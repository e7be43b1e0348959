"""WebAssembly's binary format: numbers, sections, names, function bodies.

Source: https://webassembly.github.io/spec/core/binary/
"""

import struct
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

I32, I64, F32, F64, V128 = 0x7F, 0x7E, 0x7D, 0x7C, 0x7B
TYPES = frozenset({I32, I64, F32, F64, V128})
MAGIC = b"\0asm\1\0\0\0"


class Refused(Exception):
    """The module holds what a simulated program may not."""


@contextmanager
def well_formed() -> Generator[None]:
    """Refused for a module that cannot be read to its end, whatever its reader stumbled over."""
    try:
        yield
    except (IndexError, KeyError, ValueError, RecursionError, struct.error):
        raise Refused("the module is malformed") from None


def unsigned(value: int) -> bytes:
    """LEB128 of a number that is not negative."""
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | 0x80 if value else low)
        if not value:
            return bytes(out)


def signed(value: int) -> bytes:
    """LEB128 of a number in two's complement."""
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if value == (-1 if low & 0x40 else 0):
            out.append(low)
            return bytes(out)
        out.append(low | 0x80)


def const(value: int) -> bytes:
    """The instruction `i32.const`, of an unsigned or a signed number."""
    return b"\x41" + signed(value - (1 << 32) if value >= 1 << 31 else value)


def vector(items: Iterable[bytes]) -> bytes:
    """A count and the items."""
    parts = list(items)
    return unsigned(len(parts)) + b"".join(parts)


def named(text: str) -> bytes:
    """A name."""
    data = text.encode()
    return unsigned(len(data)) + data


def section(number: int, body: bytes) -> bytes:
    """A section of a module."""
    return bytes([number]) + unsigned(len(body)) + body


class Reader:
    """Reads a part of a module. IndexError at its end."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    def unsigned(self) -> int:
        """A LEB128 number of at most 64 bits."""
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
                raise Refused("a number of more than 64 bits")

    def signed(self) -> int:
        """A LEB128 number in two's complement."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if byte & 0x40 else value
            if shift > 63:
                raise Refused("a number of more than 64 bits")

    def byte(self) -> int:
        """One byte."""
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count: int) -> bytes:
        """So many bytes."""
        if self.at + count > self.end:
            raise Refused("the module ends within a value")
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        """A name."""
        return self.take(self.unsigned()).decode(errors="replace")


@dataclass(frozen=True)
class Section:
    """number: 0 for a custom one, whose `name` it is. at: where its body begins in the module."""

    number: int
    name: str
    at: int
    body: bytes


def sections(module: bytes) -> list[Section]:
    """All of a module. Refused when it is none, or holds a section twice."""
    if module[:8] != MAGIC:
        raise Refused("this is no WebAssembly module of version 1")
    reader = Reader(module, 8)
    found: list[Section] = []
    while reader.at < len(module):
        number, size = reader.byte(), reader.unsigned()
        end = reader.at + size
        name = reader.name() if number == 0 else ""
        at = reader.at
        found.append(Section(number, name, at, reader.take(end - at)))
    numbers = [s.number for s in found if s.number]
    if len(set(numbers)) < len(numbers):
        raise Refused("a section stands twice")
    return found


def function_names(module: bytes) -> dict[int, str]:
    """Names of functions by index, as the linker knew them. They are the program's own claim."""
    body = next((s.body for s in sections(module) if s.name == "name"), b"")
    reader, names = Reader(body), dict[int, str]()
    while reader.at < len(body):
        kind, size = reader.byte(), reader.unsigned()
        end = reader.at + size
        if kind == 1:
            for _ in range(reader.unsigned()):
                index = reader.unsigned()
                names[index] = reader.name()
        reader.at = end
    return names
