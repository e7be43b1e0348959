"""Hidden operands of wgmma: where a swizzle puts bytes, and the descriptors of tiles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, shown
from hotloop.judge.seeds import Rng

SWIZZLES = (32, 64, 128)
MODES = {128: 1, 64: 2, 32: 3}
"""The two highest bits of a descriptor."""

_NOT_USED = 0x3FFF << 16
"""Bits of the leading dimension, which a swizzle has no use for."""


def place(start: int, swizzle: int, row: int, byte: int) -> int:
    """Return the address of a byte of a row of `swizzle` bytes."""
    address = start + row * swizzle + byte
    return address ^ (address >> 7 & (swizzle // 16 - 1)) << 4


def encoded(start: int, swizzle: int, row: int, byte: int) -> int:
    """Return the descriptor of the operand that begins there; row is a multiple of 8."""
    address = start + row * swizzle + byte
    return address >> 4 & 0x3FFF | (8 * swizzle >> 4) << 32 | MODES[swizzle] << 62


def places(rng: Rng) -> Iterator[Question]:
    """Yield for each swizzle the corners of a tile, and bytes within chunks."""
    for swizzle in SWIZZLES:
        for row in (0, 1, 7, 8, int(rng.integers(9, 128))):
            for byte in (0, int(rng.integers(1, swizzle)), swizzle - 1):
                yield _question(rng, swizzle, row, byte, "place")


def descriptors(rng: Rng) -> Iterator[Question]:
    """Yield for each swizzle tiles, later rows of one, and steps along k."""
    for swizzle in SWIZZLES:
        for row in (0, 64, 8 * int(rng.integers(1, 16))):
            for byte in range(0, swizzle, 32):
                yield _question(rng, swizzle, row, byte, "descriptor")


def _question(rng: Rng, swizzle: int, row: int, byte: int, key: str) -> Question:
    start = 1024 * int(rng.integers(0, 180))
    label = f"Row {row}, byte {byte}, a swizzle of {swizzle} bytes"
    expected = place if key == "place" else encoded
    mismatch = partial(_mismatch, key, expected(start, swizzle, row, byte))
    return Question(label, (start, swizzle, row, byte), mismatch)


def _mismatch(key: str, want: int, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    got = reported.get(key)
    if type(got) is not int:
        return f"“{key}” is {shown(got)}, expected a whole number"
    ignored = 0 if key == "place" else _NOT_USED
    if got | ignored == want | ignored:
        return None
    return f"“{key}” is {got:#x}, expected {want:#x}"
