"""Reads the text of a trace file in pieces, plain or compressed with gzip.

The file is untrusted. Only regular files are opened (a pipe or a device could block forever),
symbolic links are not followed, and the sizes that the file claims are not relied on.
"""

import codecs
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from hotloop.engines.trace.error import EXPORT_AGAIN, Problem, TraceError

Progress = Callable[[int, int], object]
"""Called with the bytes of the file read so far, and its size."""

PIECE = 1 << 20
_GZIP = b"\x1f\x8b"
_GZIP_FORMAT = 31  # zlib's code for a gzip header and the largest window

MOST_MEMBERS = 10_000
"""Most gzip files one after the other: each costs a copy of what follows it."""

# A trace of identical steps compresses about 30-fold. A file that expands further than this was
# made to exhaust memory.
_MOST_EXPANSION = 250
_EXPANSION_FLOOR = 64 << 20


def open_ordinary(path: Path) -> BinaryIO:
    """Open a regular file for reading, unbuffered. Raises TraceError for anything else."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        if path.is_symlink():
            raise TraceError(path, "this is a link", "Give the file that it points to.")
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise TraceError(
            path, "there is no such file", "Look where the profiler wrote it, or export it first."
        ) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not a file's name"
        raise TraceError(
            path, f"it cannot be opened ({reason})", "Give the path of one trace file."
        ) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TraceError(
            path, "this is not an ordinary file", "Give one .json or .json.gz file, not a folder."
        )
    return os.fdopen(descriptor, "rb", buffering=0)


def text(path: Path, most_bytes: int, on_progress: Progress) -> Iterator[str]:
    """Yield the file's text in pieces of at most one mebibyte of UTF-8.

    Raises TraceError if the file exceeds `most_bytes` after decompression, or is damaged.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    for piece in _limited(path, most_bytes, on_progress, partial(TraceError, path)):
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _limited(
    path: Path, most_bytes: int, on_progress: Progress, problem: Problem
) -> Iterator[bytes]:
    with open_ordinary(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise problem("the file is empty", f"{EXPORT_AGAIN}.")
        if size > most_bytes:
            raise _too_large(problem, size, most_bytes)
        raw = _Raw(file, problem)
        rest = raw.pieces()
        first = next(rest, b"")
        packed = first.startswith(_GZIP)
        pieces = chain([first], rest)
        total = 0
        for piece in _inflated(pieces, problem) if packed else pieces:
            total += len(piece)
            if total > most_bytes:
                raise _too_large(problem, total, most_bytes)
            if packed and total > max(_EXPANSION_FLOOR, _MOST_EXPANSION * raw.read):
                raise problem(
                    f"it expands more than {_MOST_EXPANSION}-fold, as no profiler's trace does",
                    f"{EXPORT_AGAIN}.",
                )
            on_progress(raw.read, max(size, raw.read))
            yield piece


class _Raw:
    """The file's bytes as stored on disk, with a count."""

    def __init__(self, file: BinaryIO, problem: Problem) -> None:
        self.read = 0
        self._file, self._problem = file, problem

    def pieces(self) -> Iterator[bytes]:
        while True:
            try:
                piece = self._file.read(PIECE)
            except OSError as error:
                raise self._problem(
                    f"reading it failed ({error.strerror})", "Copy it to a local disk first."
                ) from None
            if not piece:
                return
            self.read += len(piece)
            yield piece


def _inflated(pieces: Iterator[bytes], problem: Problem) -> Iterator[bytes]:
    """Decompress gzip members; zlib parses the headers, since Python's gzip reads them bytewise.

    As with gzip itself, members follow each other, and zeros may follow the last one.
    """
    inflater = zlib.decompressobj(_GZIP_FORMAT)
    members = 1
    for raw in pieces:
        while True:
            if inflater.eof:
                raw = raw.lstrip(b"\0")
                if not raw:
                    break
                members += 1
                _require_member(raw, members, problem)
                inflater = zlib.decompressobj(_GZIP_FORMAT)
            try:
                piece = inflater.decompress(raw, PIECE)
            except zlib.error:
                raise problem("its gzip data are damaged", f"{EXPORT_AGAIN}.") from None
            if piece:
                yield piece
            raw = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            if not raw and (inflater.eof or len(piece) < PIECE):
                break
    if not inflater.eof:
        raise problem("its gzip data end in the middle", f"{EXPORT_AGAIN}.")


def _require_member(raw: bytes, members: int, problem: Problem) -> None:
    if not _GZIP.startswith(raw[:2]):
        raise problem("more data follow the end of its gzip data", f"{EXPORT_AGAIN}.")
    if members > MOST_MEMBERS:
        raise problem(f"it is made of more than {MOST_MEMBERS:,} gzip files", f"{EXPORT_AGAIN}.")


def _too_large(problem: Problem, size: int, most: int) -> TraceError:
    return problem(
        f"it is too large: {size / 1e6:,.1f} MB or more, and at most {most / 1e6:,.1f} MB are read",
        "Profile fewer steps, for example with `schedule(wait=1, warmup=1, active=3)`, "
        "or leave out `with_stack`.",
    )
