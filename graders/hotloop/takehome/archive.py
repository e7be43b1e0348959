"""Reads the zip of a submission, which is untrusted.

Only the plain form that `hotloop takehome submit` writes is accepted: one archive from the first to
the last byte of the file, entries one after another without gaps or overlaps, stored or deflated,
regular files, plain names, no extra fields. This rules out zips that different readers interpret
differently. No file is written to disk under a name from the archive.
"""

import io
import stat
import struct
import zipfile
import zlib
from enum import StrEnum
from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.course.hand_in import read_ordinary
from hotloop.learn.pack import limits


class Refusal(StrEnum):
    """Codes of the reasons for a refusal, for statistics and tests."""

    NOT_A_FILE = "not_a_file"
    TOO_LARGE = "too_large"
    NOT_A_ZIP = "not_a_zip"
    TOO_MANY_FILES = "too_many_files"
    NAME = "name"
    DUPLICATE = "duplicate"
    NOT_A_PLAIN_FILE = "not_a_plain_file"
    ENCRYPTED = "encrypted"
    COMPRESSION = "compression"
    BOMB = "bomb"
    DAMAGED = "damaged"
    FOLDER = "folder"
    NO_MANIFEST = "no_manifest"
    FORGED_MANIFEST = "forged_manifest"
    UNKNOWN_PACK = "unknown_pack"
    WRONG_PACK = "wrong_pack"
    TOO_EARLY = "too_early"
    EXPIRED = "expired"
    OUTSIDE_WINDOW = "outside_window"
    REPLAYED = "replayed"
    NOTEBOOK = "notebook"


class RefusedSubmission(UserError):
    """The submission is refused. code: the reason.

    sentence: message for the candidate; it quotes nothing unescaped.
    """

    def __init__(self, code: Refusal, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_LOCATOR = 20
_ZIP64 = b"PK\x06\x07"
"""Signature of the zip64 locator, which would precede the end record."""

_LOCAL_HEADER = 30
_ENTRY = 46
"""Bytes of an entry in the directory, before its name."""

_UTF8 = 0x800
_LARGEST_DIRECTORY = limits.MAX_ENTRIES * (_ENTRY + limits.MAX_NAME)
_REMEDY = "Make it with `make submit`, and upload that file as it is."


def content(path: Path) -> bytes:
    """Read the upload. Raises RefusedSubmission if it is not a regular file or too large."""
    data = read_ordinary(path, limits.MAX_UPLOAD)
    if data is None:
        raise RefusedSubmission(Refusal.NOT_A_FILE, "It is not an ordinary file, or not there.")
    if len(data) > limits.MAX_UPLOAD:
        raise RefusedSubmission(
            Refusal.TOO_LARGE, f"The file is larger than {limits.MAX_UPLOAD >> 20} MiB. {_REMEDY}"
        )
    return data


def read(data: bytes) -> dict[str, bytes]:
    """Return contents by name. Raises RefusedSubmission for an invalid or too large archive."""
    if _is_folder(data):
        raise RefusedSubmission(
            Refusal.FOLDER,
            "This is the pack, or its folder as a zip. In the folder run `make submit`, and upload "
            "the file that it writes there: submission-….zip.",
        )
    return _read(data)


_OF_A_PACK = {"INSTRUCTIONS.md", "instructions.html", "Makefile", "Containerfile"}
"""Files of a pack that no submission has."""


def _is_folder(data: bytes) -> bool:
    """True if the directory of a zip names files of a pack, in its folder or without it."""
    start = data.rfind(_END_SIGNATURE, max(0, len(data) - _END.size - 0xFFFF))
    if start < 0 or len(data) - start < _END.size:
        return False
    *_, at, _ = _END.unpack_from(data, start)
    names: set[str] = set()
    # A zipped folder may hold an environment with thousands of files: the first ones are enough.
    for _ in range(10 * limits.MAX_ENTRIES):
        if data[at : at + 4] != b"PK\x01\x02" or len(data) < at + _ENTRY:
            break
        length, extra, comment = struct.unpack_from("<3H", data, at + 28)
        name = data[at + _ENTRY : at + _ENTRY + length].decode("utf-8", "replace")
        folder, _, file = name.rpartition("/")
        if "/" not in folder and f"{folder}/" != limits.FILES:
            names.add(file)
        at += _ENTRY + length + extra + comment
    return len(_OF_A_PACK & names) > 1


def _read(data: bytes) -> dict[str, bytes]:
    directory, number = _require_plain_form(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) != number:
                raise zipfile.BadZipFile
            for entry in entries:
                _require_ordinary(entry)
            _require_names([entry.filename for entry in entries])
            _require_order(entries, directory)
            _require_sizes(entries)
            return {entry.filename: _unpacked(archive, entry, data) for entry in entries}
    except RefusedSubmission:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        struct.error,
    ):
        raise RefusedSubmission(
            Refusal.DAMAGED, f"The zip is damaged: it cannot be unpacked. {_REMEDY}"
        ) from None


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, data: bytes) -> bytes:
    """Unpack an entry, up to its declared size; `ZipFile.read` would unpack up to 2 GiB first.

    Raises BadZipFile if the content has another size or checksum.
    """
    with archive.open(entry):  # checks that local header and directory agree
        begin = entry.header_offset + _LOCAL_HEADER + len(entry.filename)
    packed = data[begin : begin + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        content = unpacker.decompress(packed, entry.file_size + 1)
        whole = unpacker.eof and not unpacker.unused_data
    else:
        content, whole = packed, True
    if not whole or len(content) != entry.file_size or zlib.crc32(content) != entry.CRC:
        raise zipfile.BadZipFile
    return content


def _require_plain_form(data: bytes) -> tuple[int, int]:
    """Require a single zip from the first to the last byte.

    Returns the offset of its directory and the number of entries that it declares.
    """
    last = data[-_END.size :]
    locator = data[: -_END.size][-_LOCATOR:]
    if not data.startswith(b"PK\x03\x04") or not last.startswith(_END_SIGNATURE):
        raise RefusedSubmission(
            Refusal.NOT_A_ZIP, f"It is not a zip as Hotloop writes it. {_REMEDY}"
        )
    _, disk, start_disk, here, total, size, offset, comment = _END.unpack(last)
    whole = offset + size + _END.size == len(data) and not locator.startswith(_ZIP64)
    if comment or disk or start_disk or here != total or not whole:
        raise RefusedSubmission(
            Refusal.NOT_A_ZIP, f"The zip has something before, between or behind. {_REMEDY}"
        )
    _require_few(total if size <= _LARGEST_DIRECTORY else limits.MAX_ENTRIES + 1)
    return offset, total


def _require_few(number: int) -> None:
    if number > limits.MAX_ENTRIES:
        raise RefusedSubmission(
            Refusal.TOO_MANY_FILES,
            f"There are more than {limits.MAX_ENTRIES} files in it: take out what is no work.",
        )


def _require_order(entries: list[zipfile.ZipInfo], directory: int) -> None:
    """Require that entries follow each other without gaps, and the directory follows the last."""
    place = 0
    for entry in entries:
        if entry.header_offset != place:
            raise RefusedSubmission(Refusal.BOMB, f"Files overlap in the zip. {_REMEDY}")
        place += _LOCAL_HEADER + len(entry.filename) + entry.compress_size
    if place != directory:
        raise RefusedSubmission(
            Refusal.NOT_A_ZIP, f"The zip has something beside its files. {_REMEDY}"
        )


def _require_names(names: list[str]) -> None:
    taken: set[str] = set()
    for name in names:
        if fault := limits.name_fault(name):
            raise RefusedSubmission(
                Refusal.NAME, f"A file's name {fault}. Rename it, and try again."
            )
        folded = name.casefold()
        if folded in taken:
            raise RefusedSubmission(
                Refusal.DUPLICATE, "Two files have the same name, but for capitals. Rename one."
            )
        taken.add(folded)


def _require_ordinary(entry: zipfile.ZipInfo) -> None:
    if entry.orig_filename != entry.filename:
        raise RefusedSubmission(Refusal.NAME, "A file's name is cut short by a sign in it.")
    if entry.flag_bits & 0x1 or entry.flag_bits & 0x40:
        raise RefusedSubmission(Refusal.ENCRYPTED, "The zip has a password: make one without.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RefusedSubmission(
            Refusal.COMPRESSION, f"The zip is packed in a way that is not read here. {_REMEDY}"
        )
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or entry.external_attr & 0x10 or entry.extra or entry.comment:
        raise RefusedSubmission(
            Refusal.NOT_A_PLAIN_FILE, f"The zip holds links, folders or extras. {_REMEDY}"
        )
    if entry.flag_bits & ~_UTF8:
        raise RefusedSubmission(Refusal.NOT_A_ZIP, f"The zip was not written by Hotloop. {_REMEDY}")


def _require_sizes(entries: list[zipfile.ZipInfo]) -> None:
    for entry in entries:
        if entry.file_size > limits.MAX_FILE:
            raise RefusedSubmission(
                Refusal.TOO_LARGE,
                f"{entry.filename} is larger than {limits.MAX_FILE >> 20} MiB unpacked.",
            )
        if entry.file_size > limits.SMALL and entry.file_size > (
            limits.MAX_RATIO * max(1, entry.compress_size)
        ):
            raise RefusedSubmission(
                Refusal.BOMB, f"{entry.filename} is nothing but repetition: it is no program."
            )
    if sum(entry.file_size for entry in entries) > limits.MAX_TOTAL:
        raise RefusedSubmission(
            Refusal.TOO_LARGE, f"All files together are larger than {limits.MAX_TOTAL >> 20} MiB."
        )
