"""Files of a submission, read as untrusted: links are not followed and sizes are limited."""

import hashlib
import io
import os
import re
import stat
import tokenize
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict

MAX_TEXT = 256 * 1024
MAX_TREE_FILES = 200
MAX_TREE_BYTES = 4 << 20
MAX_DEPTH = 8
MAX_DIGESTED = 64 << 20
_USUAL = re.compile(r"utf-8-sig|(iso-?|windows-|latin-?|cp|koi8)[\w-]{0,8}")
"""Encodings of one byte a character, by the names that Python's source files give them."""


@dataclass(frozen=True)
class SubmissionFiles:
    """The folder that a learner handed in; `root` is None if there are no files.

    read: names of the files requested so far.
    """

    root: Path | None
    read: set[str] = field(default_factory=set[str], compare=False)

    def read_text(self, name: str, limit: int = MAX_TEXT) -> str:
        """Return the text of a file in the folder. Raises Ruling if it cannot be read.

        It is UTF-8, or what a Python file's own coding line says (PEP 263).

        name: path in the folder with / as separator; no part of it may be a link.
        """
        data = self.content(name, limit)
        try:
            return data.decode(_encoding(data) if name.endswith(".py") else "utf-8")
        except (UnicodeError, LookupError, SyntaxError):
            raise Ruling(
                Verdict.COMPILE_ERROR, f"{name!r} is not UTF-8 text: save it as UTF-8."
            ) from None

    def below(self, name: str) -> dict[str, bytes]:
        """Return the content of all regular files in a subfolder, by their path in it.

        Raises Ruling if there is no such folder, or it has too many files or bytes.
        """
        contents: dict[str, bytes] = {}
        room = MAX_TREE_BYTES
        with self._opened(name, os.O_DIRECTORY) as top:
            try:
                names = list(islice(_names(top, "", MAX_DEPTH), MAX_TREE_FILES + 1))
            except OSError:
                raise Ruling(
                    Verdict.RUNTIME_ERROR, f"The folder {name!r} cannot be read, or just changed."
                ) from None
        if len(names) > MAX_TREE_FILES:
            raise Ruling(
                Verdict.OUTPUT_LIMIT,
                f"{name!r} has more than {MAX_TREE_FILES} files: hand in what is asked for.",
            )
        for relative in names:
            contents[relative] = self.content(f"{name}/{relative}", room)
            room -= len(contents[relative])
        return contents

    def content(self, name: str, limit: int = MAX_TREE_BYTES) -> bytes:
        """Return a file's content. Raises Ruling if it cannot be read or exceeds `limit` bytes."""
        self.read.add(name)
        with self._opened(name, os.O_NONBLOCK) as fd:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise Ruling(Verdict.RUNTIME_ERROR, f"{name!r} is not an ordinary file.")
            with os.fdopen(fd, "rb", closefd=False) as stream:
                return _limited(name, stream.read(limit + 1), limit)

    @contextmanager
    def _opened(self, name: str, flags: int) -> Generator[int]:
        """Yield a file descriptor, opened one path component at a time, without following links."""
        missing = Ruling(Verdict.RUNTIME_ERROR, _missing(name))
        *folders, last = name.split("/")
        if self.root is None or any(part in {"", ".", ".."} for part in (*folders, last)):
            raise missing
        with ExitStack() as opened:
            fd: int | None = None
            try:
                for part, more in (
                    (str(self.root), os.O_DIRECTORY),
                    *((folder, os.O_DIRECTORY | os.O_NOFOLLOW) for folder in folders),
                    (last, flags | os.O_NOFOLLOW),
                ):
                    fd = os.open(part, os.O_RDONLY | os.O_CLOEXEC | more, dir_fd=fd)
                    opened.callback(os.close, fd)
            except OSError:
                raise missing from None
            assert fd is not None
            yield fd


@dataclass(frozen=True)
class FilesInMemory(SubmissionFiles):
    """Files that were read before: no folder is looked at. contents: by name."""

    root: Path | None = None
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def content(self, name: str, limit: int = MAX_TREE_BYTES) -> bytes:
        """As of `SubmissionFiles`."""
        self.read.add(name)
        if name not in self.contents:
            raise Ruling(Verdict.RUNTIME_ERROR, _missing(name))
        return _limited(name, self.contents[name], limit)


def _encoding(data: bytes) -> str:
    """Return the encoding in which Python itself would read a source file, if it is a usual one.

    Some of Python's codecs take quadratic time, and some hide the program's text.
    """
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0].lower()
    return encoding if _USUAL.fullmatch(encoding) else "utf-8"


def _missing(name: str) -> str:
    return f"The file {name!r} is missing: hand it in too."


def _limited(name: str, data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise Ruling(Verdict.OUTPUT_LIMIT, f"{name!r} is longer than {limit} bytes.")
    return data


def _names(folder: int, prefix: str, depth: int) -> Iterator[str]:
    """Yield paths of regular files below an open folder, sorted. Links are not followed."""
    if depth == 0:
        raise Ruling(Verdict.OUTPUT_LIMIT, f"Folders are nested deeper than {MAX_DEPTH}.")
    with os.scandir(folder) as entries:
        found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    for name, is_folder in found:
        if not is_folder:
            if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                yield prefix + name
            continue
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            yield from _names(inner, f"{prefix}{name}/", depth - 1)
        finally:
            os.close(inner)


def lay_out(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder, by their path in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def digest(root: Path) -> str:
    """Return the SHA-256 over names and contents of regular files below `root`, in name order.

    Of a file that cannot be read, or beyond its first `MAX_DIGESTED` bytes, only the name and the
    size count: no folder that somebody leaves makes this fail or run for long.
    """
    total = hashlib.sha256()
    top = os.fsencode(root)
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118 - names need not be UTF-8
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                total.update(os.path.relpath(path, top) + b"\0" + _content(path, status.st_size))
    return total.hexdigest()


def _content(path: bytes, size: int) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as stream:
            found = hashlib.sha256(stream.read(MAX_DIGESTED))
    except OSError:
        return b"unread" + str(size).encode()
    if size > MAX_DIGESTED:
        found.update(str(size).encode())
    return found.digest()
