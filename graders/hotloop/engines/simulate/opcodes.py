"""The instructions that a simulated program may contain, with their immediates and types.

Any other instruction is refused: atomics, tail calls, references, exceptions, tables, more than one
memory. Source: https://webassembly.github.io/spec/core/appendix/index-instructions.html
"""

from dataclasses import dataclass

from hotloop.engines.simulate.binary import (
    F32,
    F64,
    I32,
    I64,
    V128,
    BinaryReader,
    ForbiddenInstruction,
    Signature,
)

BLOCK, LOOP, IF, ELSE, END = 0x02, 0x03, 0x04, 0x05, 0x0B
BR, BR_IF, BR_TABLE, RETURN, UNREACHABLE = 0x0C, 0x0D, 0x0E, 0x0F, 0x00
CALL, CALL_INDIRECT, DROP, SELECT = 0x10, 0x11, 0x1A, 0x1B
LOCAL_GET, LOCAL_SET, LOCAL_TEE, GLOBAL_GET, GLOBAL_SET = 0x20, 0x21, 0x22, 0x23, 0x24
TRAPPING = frozenset({UNREACHABLE, 0x6D, 0x6E, 0x6F, 0x70, 0x7F, 0x80, 0x81, 0x82})
"""Divisions, remainders and `unreachable`: the pass records the site before they may trap."""
MEMORY_COPY, MEMORY_FILL = 0xFC0A, 0xFC0B


@dataclass(frozen=True)
class MemOp:
    """An instruction that reads or writes memory at an address on the stack.

    type: of the value. lane: whether a lane index follows in the encoding.
    """

    bytes: int
    writes: bool
    type: int
    lane: bool = False


ACCESSES: dict[int, MemOp] = {
    0x28: MemOp(4, False, I32), 0x29: MemOp(8, False, I64),
    0x2A: MemOp(4, False, F32), 0x2B: MemOp(8, False, F64),
    0x2C: MemOp(1, False, I32), 0x2D: MemOp(1, False, I32),
    0x2E: MemOp(2, False, I32), 0x2F: MemOp(2, False, I32),
    0x30: MemOp(1, False, I64), 0x31: MemOp(1, False, I64),
    0x32: MemOp(2, False, I64), 0x33: MemOp(2, False, I64),
    0x34: MemOp(4, False, I64), 0x35: MemOp(4, False, I64),
    0x36: MemOp(4, True, I32), 0x37: MemOp(8, True, I64),
    0x38: MemOp(4, True, F32), 0x39: MemOp(8, True, F64),
    0x3A: MemOp(1, True, I32), 0x3B: MemOp(2, True, I32),
    0x3C: MemOp(1, True, I64), 0x3D: MemOp(2, True, I64), 0x3E: MemOp(4, True, I64),
    0xFD00: MemOp(16, False, V128), **{0xFD00 + n: MemOp(8, False, V128) for n in range(1, 7)},
    **{0xFD07 + n: MemOp(1 << n, False, V128) for n in range(4)},
    0xFD0B: MemOp(16, True, V128), 0xFD5C: MemOp(4, False, V128), 0xFD5D: MemOp(8, False, V128),
    **{0xFD54 + n: MemOp(1 << n, False, V128, lane=True) for n in range(4)},
    **{0xFD58 + n: MemOp(1 << n, True, V128, lane=True) for n in range(4)},
}  # fmt: skip


def _signatures() -> dict[int, Signature]:
    signatures: dict[int, Signature] = {}

    def add(codes: range, takes: tuple[int, ...], gives: int) -> None:
        signatures.update(dict.fromkeys(codes, (takes, (gives,))))

    for first, last, kind in (
        (0x46, 0x4F, I32),
        (0x51, 0x5A, I64),
        (0x5B, 0x60, F32),
        (0x61, 0x66, F64),
    ):
        add(range(first, last + 1), (kind, kind), I32)
    add(range(0x45, 0x46), (I32,), I32)
    add(range(0x50, 0x51), (I64,), I32)
    for first, two, last, kind in (
        (0x67, 0x6A, 0x78, I32),
        (0x79, 0x7C, 0x8A, I64),
        (0x8B, 0x92, 0x98, F32),
        (0x99, 0xA0, 0xA6, F64),
    ):
        add(range(first, two), (kind,), kind)
        add(range(two, last + 1), (kind, kind), kind)
    signatures.update(_conversions())
    signatures[MEMORY_COPY] = signatures[MEMORY_FILL] = ((I32, I32, I32), ())
    signatures.update(_vector_signatures())
    return signatures


def _conversions() -> dict[int, Signature]:
    signatures: dict[int, Signature] = {}
    conversions = (
        "a7:l>i a8:f>i a9:f>i aa:d>i ab:d>i ac:i>l ad:i>l ae:f>l af:f>l b0:d>l b1:d>l "
        "b2:i>f b3:i>f b4:l>f b5:l>f b6:d>f b7:i>d b8:i>d b9:l>d ba:l>d bb:f>d bc:f>i "
        "bd:d>l be:i>f bf:l>d c0:i>i c1:i>i c2:l>l c3:l>l c4:l>l "
        "fc00:f>i fc01:f>i fc02:d>i fc03:d>i "
        "fc04:f>l fc05:f>l fc06:d>l fc07:d>l"
    )
    letters = {"i": I32, "l": I64, "f": F32, "d": F64}
    for one in conversions.split():
        code, _, change = one.partition(":")
        signatures[int(code, 16)] = ((letters[change[0]],), (letters[change[2]],))
    return signatures


_VECTOR_ONE = {
    77, 94, 95, 96, 97, 98, *range(103, 107), 116, 117, 122, *range(124, 130), *range(135, 139),
    148, 160, 161, *range(167, 171), 192, 193, *range(199, 203), 224, 225, 227, 236, 237, 239,
    *range(248, 256),
}  # fmt: skip
_VECTOR_TEST = {83, 99, 100, 131, 132, 163, 164, 195, 196}
_VECTOR_SHIFT = {*range(107, 110), *range(139, 142), *range(171, 174), *range(203, 206)}


def _vector_signatures() -> dict[int, Signature]:
    signatures: dict[int, Signature] = {0xFD00 + n: ((V128, V128), (V128,)) for n in range(35, 256)}
    signatures.update({0xFD00 + n: ((V128,), (V128,)) for n in _VECTOR_ONE})
    signatures.update({0xFD00 + n: ((V128,), (I32,)) for n in _VECTOR_TEST})
    signatures.update({0xFD00 + n: ((V128, I32), (V128,)) for n in _VECTOR_SHIFT})
    signatures[0xFD52] = ((V128, V128, V128), (V128,))
    signatures[0xFD0C] = ((), (V128,))
    signatures[0xFD0D] = signatures[0xFD0E] = ((V128, V128), (V128,))
    lanes = (I32, I32, I32, I64, F32, F64)
    signatures.update({0xFD0F + n: ((kind,), (V128,)) for n, kind in enumerate(lanes)})
    takes = {21: I32, 22: I32, 24: I32, 25: I32, 27: I32, 29: I64, 31: F32, 33: F64}
    puts = {23: I32, 26: I32, 28: I32, 30: I64, 32: F32, 34: F64}
    signatures.update({0xFD00 + n: ((V128,), (kind,)) for n, kind in takes.items()})
    signatures.update({0xFD00 + n: ((V128, kind), (V128,)) for n, kind in puts.items()})
    return signatures


SIGNATURES = _signatures()
"""Types of all other instructions whose types do not depend on the function around them."""


@dataclass(frozen=True)
class Instruction:
    """A decoded instruction. op: the opcode with its prefix.

    at, end: offsets in the code section. number: the index, depth, block type or offset that
    follows. more: targets of a br_table. align: log2 of the alignment that an access promises.
    """

    op: int
    at: int
    end: int
    number: int = 0
    more: tuple[int, ...] = ()
    align: int = 0


_SIGNED = frozenset({BLOCK, LOOP, IF, 0x41, 0x42})
_UNSIGNED = frozenset(
    {BR, BR_IF, CALL, LOCAL_GET, LOCAL_SET, LOCAL_TEE, GLOBAL_GET, GLOBAL_SET},
)
"""Instructions followed by one unsigned number."""

_BYTES = {0x43: 4, 0x44: 8, 0xFD0C: 16, 0xFD0D: 16, **dict.fromkeys(range(0xFD15, 0xFD23), 1)}
"""Bytes of immediates that the pass skips: constants and lane indices."""

_PLAIN = frozenset({UNREACHABLE, 0x01, ELSE, END, RETURN, DROP, SELECT})
"""Instructions without immediates that are not in SIGNATURES."""


def read(reader: BinaryReader) -> Instruction:
    """Read the next instruction. Raises ForbiddenInstruction if a program must not contain it."""
    at = reader.at
    op = _opcode(reader)
    access = ACCESSES.get(op)
    if access is not None:
        align, offset = _place(reader, access)
        return Instruction(op, at, reader.at, offset, align=align)
    if op == BR_TABLE:
        targets = tuple(reader.unsigned() for _ in range(reader.unsigned() + 1))
        return Instruction(op, at, reader.at, more=targets)
    number = _number(reader, op)
    return Instruction(op, at, reader.at, number)


def _opcode(reader: BinaryReader) -> int:
    op = reader.byte()
    if op not in (0xFC, 0xFD):
        return op
    sub = reader.unsigned()
    if sub > 0xFF:
        raise ForbiddenInstruction(f"instruction {op:#x} {sub}")
    return op << 8 | sub


def _place(reader: BinaryReader, access: MemOp) -> tuple[int, int]:
    """Read log2 of an access's alignment, and its offset."""
    align, offset = reader.unsigned(), reader.unsigned()
    if align > 4 or 1 << align > access.bytes or offset >= 1 << 32:
        raise ForbiddenInstruction("an access to another memory, or of more alignment than bytes")
    if access.lane:
        reader.byte()
    return align, offset


def _number(reader: BinaryReader, op: int) -> int:
    """Read the number after an opcode; 0 if there is none or the pass does not use it."""
    if op in _SIGNED:
        return reader.signed()
    if op in _UNSIGNED:
        return reader.unsigned()
    if op == CALL_INDIRECT:
        kind = reader.unsigned()
        if reader.unsigned() != 0:
            raise ForbiddenInstruction("a call through another table")
        return kind
    if op in (MEMORY_COPY, MEMORY_FILL):
        if reader.take(2 if op == MEMORY_COPY else 1).strip(b"\0"):
            raise ForbiddenInstruction("a copy to another memory")
    elif op in _BYTES:
        reader.take(_BYTES[op])
    elif op not in SIGNATURES and op not in _PLAIN:
        raise ForbiddenInstruction(f"instruction {op:#x}")
    return 0
