"""Zips written byte by byte, so that each field can be wrong."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

PLAIN_FILE = 0o100644 << 16
STORED, DEFLATED = 0, 8


@dataclass(frozen=True)
class Raw:
    """One entry. A field that is None gets its right value."""

    name: str | bytes
    data: bytes
    method: int = DEFLATED
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    flags: int = 0
    attributes: int = PLAIN_FILE
    system: int = 3
    extra: bytes = b""
    local_extra: bytes = b""
    comment: bytes = b""
    local_name: str | bytes | None = None
    at: int | None = None
    """The offset of the local header to use instead of an own one."""


def raw_zip(
    entries: Sequence[Raw],
    *,
    before: bytes = b"",
    between: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
    behind: bytes = b"",
) -> bytes:
    """Return a zip. between: bytes before the directory.

    count: number of entries stated at the end.
    """
    body, directory = before, b""
    for entry in entries:
        place = len(body) if entry.at is None else entry.at
        packed, fields = _fields(entry)
        name = _bytes(entry.name)
        if entry.at is None:
            local = _bytes(entry.local_name) if entry.local_name is not None else name
            body += struct.pack(
                "<4s5H3L2H", b"PK\3\4", 20, *fields, len(local), len(entry.local_extra)
            )
            body += local + entry.local_extra + packed
        directory += struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            20 | entry.system << 8,
            20,
            *fields,
            len(name),
            len(entry.extra),
            len(entry.comment),
            0,
            0,
            entry.attributes,
            place,
        )
        directory += name + entry.extra + entry.comment
    body += between
    total = len(entries) if count is None else count
    end = struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, total, total, len(directory), len(body), len(comment)
    )
    return body + directory + end + comment + behind


def _fields(entry: Raw) -> tuple[bytes, tuple[int, ...]]:
    """Return flags, method, time, date, checksum, packed size, size."""
    packed = entry.packed
    if packed is None:
        packed = _deflated(entry.data) if entry.method == DEFLATED else entry.data
    crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
    size = len(entry.data) if entry.size is None else entry.size
    return packed, (entry.flags, entry.method, 0, 0x21, crc, len(packed), size)


@lru_cache
def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _bytes(name: str | bytes) -> bytes:
    return name if isinstance(name, bytes) else name.encode()
