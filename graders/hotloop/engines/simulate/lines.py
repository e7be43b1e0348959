"""Maps instructions to source lines with DWARF's line table, version 4.

The compiler makes the table from the program, and it is used for messages only. Source:
https://dwarfstd.org/doc/DWARF4.pdf, section 6.2
"""

import bisect
import struct
from dataclasses import dataclass

from hotloop.engines.simulate.binary import BinaryReader, sections

Place = tuple[str, int, int]
"""File, line, column."""
Row = tuple[int, *Place]
"""Offset in the code section, then the place. Line 0 ends a sequence."""


def table(wasm: bytes) -> list[Row]:
    """Return all rows of the line table, sorted by offset."""
    data = next((s.body for s in sections(wasm) if s.name == ".debug_line"), b"")
    rows: list[Row] = []
    at = 0
    while at + 10 < len(data):
        size, version = struct.unpack_from("<IH", data, at)
        end = at + 4 + size
        if version == 4:
            rows += _unit(data, at, end)
        at = end
    return sorted(rows)


def at(rows: list[Row], offset: int) -> Place:
    """Return the place of an instruction, or ("", 0, 0) for the C library's and unknown code."""
    index = bisect.bisect_right(rows, offset, key=lambda row: row[0]) - 1
    # Several rows may have the same offset: use the last one that names a line.
    while index >= 0 and rows[index][2] == 0 and index and rows[index - 1][0] == rows[index][0]:
        index -= 1
    if index < 0 or rows[index][2] == 0:
        return "", 0, 0
    _, file, line, column = rows[index]
    is_of_library = "/ziglang/lib/" in file or file.endswith(".zig")
    return ("", 0, 0) if is_of_library else (file, line, column)


@dataclass(frozen=True)
class _Header:
    """Header of a unit. files: by number. program: offset of its instructions.

    least: bytes of the shortest machine instruction. base, span, first: parameters of special
    opcodes. operands: number of operands of each standard opcode.
    """

    files: list[str]
    program: int
    least: int
    base: int
    span: int
    first: int
    operands: bytes


def _header(data: bytes, at: int, end: int) -> _Header:
    size = struct.unpack_from("<I", data, at + 6)[0]
    least, _, _, base, span, first = struct.unpack_from("<BBBbBB", data, at + 10)
    reader = BinaryReader(data, at + 16, end)
    operands = reader.take(first - 1)
    folders = [""]
    while name := _text(reader):
        folders.append(name)
    files = [""]
    while name := _text(reader):
        folder = reader.unsigned()
        reader.unsigned()
        reader.unsigned()
        files.append(name if name.startswith("/") or not folder else f"{folders[folder]}/{name}")
    return _Header(files, at + 10 + size, least, base, span, first, operands)


def _unit(data: bytes, at: int, end: int) -> list[Row]:
    header = _header(data, at, end)
    machine = _Machine(header)
    reader = BinaryReader(data, header.program, end)
    while reader.at < end:
        machine.step(reader)
    return machine.rows


class _Machine:
    """Runs a unit's line program, which generates the rows."""

    def __init__(self, header: _Header) -> None:
        self.header = header
        self.rows: list[Row] = []
        self._reset()

    def _reset(self) -> None:
        self.address, self.file, self.line, self.column = 0, 1, 1, 0

    def step(self, reader: BinaryReader) -> None:
        """Execute one instruction of the line program."""
        op = reader.byte()
        if op >= self.header.first:
            self._special(op - self.header.first)
        elif op == 0:
            self._extended(reader)
        else:
            self._standard(op, reader)

    def _row(self) -> None:
        if self.line:  # line 0: an instruction merged from several lines belongs to the row before
            self.rows.append((self.address, self.header.files[self.file], self.line, self.column))

    def _special(self, step: int) -> None:
        """Advance address and line together, and add a row."""
        self.address += step // self.header.span * self.header.least
        self.line += self.header.base + step % self.header.span
        self._row()

    def _extended(self, reader: BinaryReader) -> None:
        size = reader.unsigned()
        after = reader.at + size
        kind = reader.byte()
        if kind == 1:
            self.rows.append((self.address, "", 0, 0))
            self._reset()
        elif kind == 2:
            self.address = struct.unpack_from("<I", reader.data, reader.at)[0]
        reader.at = after

    def _standard(self, op: int, reader: BinaryReader) -> None:
        header = self.header
        if op == 1:
            self._row()
        elif op == 2:
            self.address += reader.unsigned() * header.least
        elif op == 3:
            self.line += reader.signed()
        elif op == 4:
            self.file = reader.unsigned()
        elif op == 5:
            self.column = reader.unsigned()
        elif op == 8:
            self.address += (255 - header.first) // header.span * header.least
        elif op == 9:
            self.address += struct.unpack("<H", reader.take(2))[0]
        else:
            for _ in range(header.operands[op - 1]):
                reader.unsigned()


def _text(reader: BinaryReader) -> str:
    end = reader.data.index(0, reader.at)
    text = reader.data[reader.at : end].decode(errors="replace")
    reader.at = end + 1
    return text
