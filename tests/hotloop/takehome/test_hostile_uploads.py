"""Malicious uploads.

Each is refused with its code, or is accepted and affects only its own verdict; none changes a file,
and none takes long or much memory.
"""

import base64
import io
import json
import os
import time
import tracemalloc
import uuid
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.learn.pack import limits, manifest
from hotloop.learn.pack.keys import TeamKey
from hotloop.takehome.archive import Refusal, RefusedSubmission
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.submission_file import zipped
from hotloop.tasks import render
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.notebook_cells import UNREADABLE_CELL

from .conftest import NAMES, RECEIVED, Hired
from .raw_zip import STORED, Raw, raw_zip

R = Refusal
SECONDS = 5
MEGABYTES = 120
OTHER_TEAM = TeamKey(bytes(range(32)), bytes(32))


@dataclass(frozen=True)
class Attack:
    """name: the attack. build: the upload, for a team. code: of the refusal."""

    name: str
    build: Callable[[Hired], bytes]
    code: Refusal


@dataclass(frozen=True)
class Harmless:
    """An upload that is accepted, and what must be true of it."""

    name: str
    build: Callable[[Hired], bytes]
    holds: Callable[[Submission], bool]


def signed(hired: Hired, number: int = 0) -> bytes:
    return manifest.sign(hired.packs[number].manifest, hired.team.key).to_bytes()


def opening(hired: Hired) -> Raw:
    return Raw("manifest.json", signed(hired))


def with_(*entries: Raw, **how: object) -> Callable[[Hired], bytes]:
    """Return a builder of a valid manifest followed by these entries."""
    return lambda hired: raw_zip([opening(hired), *entries], **how)  # type: ignore[arg-type]


def named(name: str | bytes, **fields: object) -> Callable[[Hired], bytes]:
    return with_(Raw(name, b"x = 1\n", **fields))  # type: ignore[arg-type]


def notebook(*sources: object, **extra: object) -> bytes:
    cells = [
        {"cell_type": "code", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for s in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **extra}).encode()


def of_ids(*ids: str) -> bytes:
    cells = [{"cell_type": "raw", "id": name, "source": "x"} for name in ids]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def with_notebook(data: bytes) -> Callable[[Hired], bytes]:
    return with_(Raw("files/lab.ipynb", data, method=STORED))


def changed_manifest(**changes: object) -> Callable[[Hired], bytes]:
    def build(hired: Hired) -> bytes:
        document = json.loads(signed(hired))
        document["manifest"] |= changes
        return zipped({"manifest.json": json.dumps(document).encode()})

    return build


def raw_manifest(data: bytes) -> Callable[[Hired], bytes]:
    return lambda _hired: zipped({"manifest.json": data})


def resigned(hired: Hired) -> bytes:
    signed = manifest.sign(hired.packs[0].manifest, OTHER_TEAM)
    return zipped({"manifest.json": signed.to_bytes()})


def swapped_signature(hired: Hired) -> bytes:
    document = json.loads(signed(hired, 0))
    document["signature"] = json.loads(signed(hired, 1))["signature"]
    return zipped({"manifest.json": json.dumps(document).encode()})


def signed_but_never_made(hired: Hired) -> bytes:
    """As by an attacker who has an old key's signature of a deleted pack."""
    unknown = hired.packs[0].manifest.model_copy(update={"pack": uuid.UUID(int=7)})
    return zipped({"manifest.json": manifest.sign(unknown, hired.team.key).to_bytes()})


def older_pack(hired: Hired) -> bytes:
    """A pack's id with other contents, properly signed: a pack that was replaced."""
    older = hired.packs[0].manifest.model_copy(update={"window_hours": 9000.0})
    return zipped({"manifest.json": manifest.sign(older, hired.team.key).to_bytes()})


def overlapping(hired: Hired) -> bytes:
    """Many names for the same compressed bytes, as in Fifield's zip bomb."""
    first = opening(hired)
    bomb = Raw("files/a0.py", bytes(limits.MAX_FILE))
    place = len(raw_zip([first])) - 46 - len("manifest.json") - 22
    more = [Raw(f"files/a{n}.py", bytes(limits.MAX_FILE), at=place) for n in range(1, 100)]
    return raw_zip([first, bomb, *more])


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@cache
def _packed_zeros() -> bytes:
    """Return 600 MB of zeros, compressed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(600)) + packer.flush()


def lying_bomb(hired: Hired) -> bytes:
    """It declares ten bytes, with their checksum."""
    bomb = Raw("files/a.py", b"", packed=_packed_zeros(), size=10, crc=zlib.crc32(bytes(10)))
    return raw_zip([opening(hired), bomb])


def nested_bomb() -> bytes:
    inner = raw_zip([Raw("x", bytes(limits.MAX_FILE))])
    for _ in range(6):
        inner = raw_zip([Raw(f"{n}.zip", inner) for n in range(10)])
    return inner


def zip64(hired: Hired) -> bytes:
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w") as archive,
        archive.open("manifest.json", "w", force_zip64=True) as entry,
    ):
        entry.write(signed(hired))
    return stream.getvalue()


def zip64_locator(hired: Hired) -> bytes:
    """The end names one directory, a zip64 locator before it another."""
    return raw_zip([opening(hired), Raw("files/x.py", b"x", comment=b"PK\6\7" + bytes(16))])


def two_archives(hired: Hired) -> bytes:
    good = raw_zip([opening(hired)])
    return good + raw_zip([opening(hired), Raw("files/x.py", b"import os")])


def by_library(method: int) -> Callable[[Hired], bytes]:
    def build(hired: Hired) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as archive:
            archive.writestr("manifest.json", signed(hired))
        return stream.getvalue()

    return build


def truncated(share: float) -> Callable[[Hired], bytes]:
    def build(hired: Hired) -> bytes:
        data = with_(Raw("files/a.py", os.urandom(5000)))(hired)
        return data[: int(len(data) * share)]

    return build


def zipped_folder(top: str, *more: str) -> Callable[[Hired], bytes]:
    """Return a builder of what a file manager makes of a pack's folder."""

    def build(hired: Hired) -> bytes:
        stream = io.BytesIO()
        with (
            zipfile.ZipFile(hired.packs[0].path) as pack,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            if top:
                archive.mkdir(top.rstrip("/"))
            for name in pack.namelist():
                archive.writestr(top + name.partition("/")[2], pack.read(name))
            for name in more:
                archive.writestr(top + name, bytes(limits.MAX_FILE + 1))
        return stream.getvalue()

    return build


def flipped(hired: Hired) -> bytes:
    data = bytearray(with_(Raw("files/a.py", b"abcdefgh" * 50, method=STORED))(hired))
    place = data.index(b"abcdefgh")
    data[place] ^= 0xFF
    return bytes(data)


def test_who_uploads_the_pack_is_told_what_to_do(hired: Hired, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(hired.packs[0].path.read_bytes())
    with pytest.raises(RefusedSubmission, match=r"`make submit`.*submission-….zip"):
        open_submission(path, hired.team, received=RECEIVED)


ZEROS = bytes(limits.MAX_FILE)
ATTACKS = [
    # not a zip, or not one thing only
    Attack("empty", lambda _h: b"", R.NOT_A_ZIP),
    Attack("text", lambda _h: b"hello", R.NOT_A_ZIP),
    Attack("an empty zip", lambda _h: raw_zip([]), R.NOT_A_ZIP),
    Attack("a program in front", with_(before=b"#!/bin/sh\nrm -rf ~\n"), R.NOT_A_ZIP),
    Attack("a page behind", with_(behind=b"<script>alert(1)</script>"), R.NOT_A_ZIP),
    Attack("a comment", with_(comment=b"x" * 5000), R.NOT_A_ZIP),
    Attack("something in between", with_(between=b"x" * 5000), R.NOT_A_ZIP),
    Attack("two archives in one", two_archives, R.NOT_A_ZIP),
    Attack("cut in half", truncated(0.5), R.NOT_A_ZIP),
    Attack("cut at its end", truncated(0.99), R.NOT_A_ZIP),
    Attack("gzip", lambda _h: b"\x1f\x8b\x08\0" + bytes(100), R.NOT_A_ZIP),
    Attack("too long", lambda _h: bytes(limits.MAX_UPLOAD + 1), R.TOO_LARGE),
    Attack("zip64", zip64, R.NOT_A_ZIP),
    Attack("a second directory", zip64_locator, R.NOT_A_ZIP),
    Attack("it lies about its number", with_(count=3), R.DAMAGED),
    # bombs
    Attack("a bomb", with_(Raw("files/a.py", ZEROS)), R.BOMB),
    Attack("a bomb larger than a file", with_(Raw("files/a.py", ZEROS * 4)), R.TOO_LARGE),
    Attack("a bomb that lies", with_(Raw("files/a.py", ZEROS, size=10)), R.DAMAGED),
    Attack("a bomb that knows its checksum", lying_bomb, R.DAMAGED),
    Attack(
        "something behind the packed data",
        with_(Raw("files/a.py", b"x", packed=deflated(b"x") + b"<?php")),
        R.DAMAGED,
    ),
    Attack("it claims to be huge", with_(Raw("files/a.py", b"x", size=2**32 - 1)), R.TOO_LARGE),
    Attack("one body, many names", overlapping, R.BOMB),
    Attack("many bombs", with_(*(Raw(f"files/{n}.py", ZEROS) for n in range(50))), R.BOMB),
    Attack(
        "many files", with_(*(Raw(f"files/{n}.py", b"x") for n in range(5000))), R.TOO_MANY_FILES
    ),
    Attack(
        "many files, and it says few",
        with_(*(Raw(f"files/{n}.py", b"x") for n in range(300)), count=2),
        R.DAMAGED,
    ),
    Attack(
        "all together too much",
        with_(*(Raw(f"files/{n}.bin", os.urandom(1024) * 3900) for n in range(7))),
        R.TOO_LARGE,
    ),
    # names
    Attack("up and away", named("files/../../../etc/passwd"), R.NAME),
    Attack("up at once", named("../manifest.json"), R.NAME),
    Attack("absolute", named("/etc/cron.d/x"), R.NAME),
    Attack("a drive", named("C:/Windows/x.py"), R.NAME),
    Attack("backslashes", named("files\\..\\..\\x.py"), R.NAME),
    Attack("two slashes", named("files//x.py"), R.NAME),
    Attack("a dot", named("files/./x.py"), R.NAME),
    Attack("a hidden file", named("files/.bashrc"), R.NAME),
    Attack("an option", named("files/-rf"), R.NAME),
    Attack("NUL", named(b"files/a.py\0.txt"), R.NAME),
    Attack("NUL at the front", named(b"\0files/a.py"), R.NAME),
    Attack("a line's end", named("files/a\nb.py"), R.NAME),
    Attack("a terminal's colors", named("files/\x1b[31m.py"), R.NAME),
    Attack("from right to left", named("files/a\u202eyp.exe", flags=0x800), R.NAME),
    Attack("a full-width dot", named("files/\uff0e\uff0e/x.py", flags=0x800), R.NAME),
    Attack("another alphabet", named("files/l\u0430b.ipynb", flags=0x800), R.NAME),
    Attack("no width", named("files/lab\u200b.ipynb", flags=0x800), R.NAME),
    Attack("composed", named("files/e\u0301.py", flags=0x800), R.NAME),
    Attack("not UTF-8", named(b"files/\xff\xfe.py"), R.NAME),
    Attack("HTML", named("files/<img src=x onerror=alert(1)>.py"), R.NAME),
    Attack("a formula", named("files/=HYPERLINK(1).py"), R.NAME),
    Attack("a command", named("files/$(reboot).py"), R.NAME),
    Attack("very long", named("files/" + "a" * 300 + ".py"), R.NAME),
    Attack("very deep", named("files/" + "a/" * 40 + "x.py"), R.NAME),
    Attack("no name", named(""), R.NAME),
    Attack("beside the folder", named("cron.py"), R.NAME),
    Attack("the same twice", with_(*[Raw("files/a.py", b"x")] * 2), R.DUPLICATE),
    Attack("two manifests", lambda h: raw_zip([opening(h), opening(h)]), R.DUPLICATE),
    Attack("capitals", with_(Raw("files/a.py", b"x"), Raw("files/A.py", b"y")), R.DUPLICATE),
    Attack("a file and a folder", with_(Raw("files/a", b"x"), Raw("files/a/b", b"y")), R.DUPLICATE),
    # what is no plain file
    Attack("a symbolic link", named("files/a.py", attributes=0o120777 << 16), R.NOT_A_PLAIN_FILE),
    Attack(
        "a link that says DOS",
        named("files/a.py", attributes=0o120777 << 16, system=0),
        R.NOT_A_PLAIN_FILE,
    ),
    Attack("a pipe", named("files/a.py", attributes=0o010644 << 16), R.NOT_A_PLAIN_FILE),
    Attack("a device", named("files/a.py", attributes=0o060644 << 16), R.NOT_A_PLAIN_FILE),
    Attack(
        "a hard link, as PKWARE writes it",
        named("files/a.py", extra=b"\x0d\0\x10\0" + bytes(12) + b"/etc"),
        R.NOT_A_PLAIN_FILE,
    ),
    Attack(
        "a link, as ASi writes it",
        named("files/a.py", extra=b"\x6e\x75\x0e\0" + bytes(14)),
        R.NOT_A_PLAIN_FILE,
    ),
    Attack("a folder", named("files/a", attributes=0o040755 << 16 | 0x10), R.NOT_A_PLAIN_FILE),
    Attack("extras in the local header", named("files/a.py", local_extra=bytes(8)), R.NOT_A_ZIP),
    # how it is packed
    Attack("encrypted", named("files/a.py", flags=0x1), R.ENCRYPTED),
    Attack("strongly encrypted", named("files/a.py", flags=0x41), R.ENCRYPTED),
    Attack("deflate64", named("files/a.py", method=9, packed=b"x"), R.COMPRESSION),
    Attack("bzip2", by_library(zipfile.ZIP_BZIP2), R.COMPRESSION),
    Attack("LZMA", by_library(zipfile.ZIP_LZMA), R.COMPRESSION),
    Attack("a method that is none", named("files/a.py", method=77, packed=b"x"), R.COMPRESSION),
    Attack("sizes behind the data", named("files/a.py", flags=0x8), R.NOT_A_ZIP),
    Attack("a wrong checksum", named("files/a.py", crc=1), R.DAMAGED),
    Attack("a flipped bit", flipped, R.DAMAGED),
    Attack("nonsense packed", named("files/a.py", packed=b"\xff" * 40), R.DAMAGED),
    Attack("two names", named("files/a.py", local_name="files/b.py"), R.DAMAGED),
    # what is no hand-in at all
    Attack("the pack", lambda hired: hired.packs[0].path.read_bytes(), R.FOLDER),
    Attack("the pack's folder", zipped_folder("swift-hare-76/"), R.FOLDER),
    Attack("what is in it", zipped_folder(""), R.FOLDER),
    Attack(
        "its folder with an environment",
        zipped_folder("a folder/", "hotloop-0.1.0-py3-none-any.whl", *(f".venv/{n}" for n in "ab")),
        R.FOLDER,
    ),
    # manifests
    Attack("no manifest", lambda _h: zipped({"files/a.py": b""}), R.NO_MANIFEST),
    Attack("a manifest of nothing", raw_manifest(b"{}"), R.FORGED_MANIFEST),
    Attack("a deep manifest", raw_manifest(b"[" * 60_000), R.FORGED_MANIFEST),
    Attack(
        "before all calendars",
        changed_manifest(not_before="0001-01-01T00:00:00+23:59"),
        R.FORGED_MANIFEST,
    ),
    Attack("later", changed_manifest(expires="2099-01-01T00:00:00.000Z"), R.FORGED_MANIFEST),
    Attack("a variant of one's own", changed_manifest(variant="0" * 64), R.FORGED_MANIFEST),
    Attack("an easier task", changed_manifest(tasks={}), R.FORGED_MANIFEST),
    Attack("one more key", changed_manifest(admin=True), R.FORGED_MANIFEST),
    Attack("HTML for a title", changed_manifest(title="<script>"), R.FORGED_MANIFEST),
    Attack("a formula for a name", changed_manifest(pseudonym="=1+1"), R.FORGED_MANIFEST),
    Attack("a path for a pack", changed_manifest(pack="../../keys"), R.FORGED_MANIFEST),
    Attack("another team's", resigned, R.FORGED_MANIFEST),
    Attack("another's signature", swapped_signature, R.FORGED_MANIFEST),
    Attack("a pack that was never made", signed_but_never_made, R.UNKNOWN_PACK),
    Attack("a pack that was replaced", older_pack, R.UNKNOWN_PACK),
    # notebooks
    Attack("a folder for a file", with_(Raw("files/lab.ipynb/x.py", b"x")), R.DUPLICATE),
    Attack("a notebook of nothing", with_notebook(b""), R.NOTEBOOK),
    Attack("a deep notebook", with_notebook(b"[" * 1_000_000), R.NOTEBOOK),
    Attack("cells by the thousand", with_notebook(notebook(*["x"] * 5000)), R.NOTEBOOK),
    Attack("a huge notebook", with_notebook(notebook(os.urandom(1 << 21).hex() * 2)), R.TOO_LARGE),
    Attack("NaN for a notebook", with_notebook(b"NaN"), R.NOTEBOOK),
    Attack(
        "another module's notebook",
        with_notebook(notebook("check('ssa_passes.build_ssa')")),
        R.NOTEBOOK,
    ),
]


@pytest.fixture
def upload(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(data: bytes) -> Path:
        path = tmp_path / "upload"
        path.write_bytes(data)
        return path

    return write


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_is_refused(attack: Attack, hired: Hired, upload: Callable[[bytes], Path]) -> None:
    path = upload(attack.build(hired))
    before = snapshot(hired.team.folder)
    started = time.monotonic()
    with pytest.raises(RefusedSubmission) as caught:
        open_submission(path, hired.team, received=RECEIVED)
    assert time.monotonic() - started < SECONDS
    assert caught.value.code is attack.code, caught.value.sentence
    assert snapshot(hired.team.folder) == before
    _require_a_clean_sentence(caught.value.sentence)


def _require_a_clean_sentence(sentence: str) -> None:
    """Check that the message has no text of the candidate's choice."""
    assert sentence.isprintable()
    assert not any(sign in sentence for sign in "<>\u202e=")
    assert len(sentence) < 400


def test_there_are_enough_of_them() -> None:
    assert len(ATTACKS) + len(HARMLESS) >= 30
    assert {attack.code for attack in ATTACKS} >= set(Refusal) - {
        R.NOT_A_FILE,
        R.WRONG_PACK,
        R.TOO_EARLY,
        R.EXPIRED,
        R.OUTSIDE_WINDOW,
        R.REPLAYED,
    }, "the others are in test_submission.py and below"


def work(hired: Hired, files: dict[str, bytes], **more: bytes) -> bytes:
    entries = {f"files/{name}": data for name, data in files.items()}
    return zipped({"manifest.json": signed(hired), **entries, **more})


def of_files(**files: bytes) -> Callable[[Hired], bytes]:
    named = {name.replace("__", "."): data for name, data in files.items()}
    return lambda hired: work(hired, named)


def with_log(data: bytes) -> Callable[[Hired], bytes]:
    return lambda hired: work(hired, {}, **{"work_log.jsonl": data})


def cells(found: Submission) -> list[dict[str, object]]:
    return json.loads(found.work.files["lab.ipynb"])["cells"]


def others_work(hired: Hired) -> bytes:
    """Return the second candidate's pack as the work on the first one's."""
    with zipfile.ZipFile(hired.packs[1].path) as archive:
        top = f"{hired.packs[1].pseudonym}/"
        files = {n.removeprefix(top): archive.read(n) for n in archive.namelist()}
    entries = {f"files/{name}": data for name, data in files.items()}
    return zipped({"manifest.json": signed(hired), **entries})


HTML = b'[{"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}}]'
SCRIPTED = notebook("x = 1", "=cmd|' /C calc'!A0").replace(b'"outputs": []', b'"outputs": ' + HTML)
HARMLESS = [
    Harmless(
        "HTML in outputs",
        of_files(lab__ipynb=SCRIPTED),
        lambda found: b"<script>" not in found.work.files["lab.ipynb"],
    ),
    Harmless(
        "HTML in metadata and ids",
        of_files(
            lab__ipynb=json.dumps(
                {
                    "nbformat": 4,
                    "metadata": {"title": "<script>"},
                    "cells": [
                        {
                            "cell_type": "code",
                            "id": "<script>",
                            "metadata": {"nbgrader": {"grade_id": "<script>"}, "x": "<script>"},
                            "source": ["x = 1"],
                        }
                    ],
                }
            ).encode()
        ),
        lambda found: b"<script>" not in found.work.files["lab.ipynb"],
    ),
    Harmless(
        "two cells of one id",
        of_files(lab__ipynb=of_ids(*["a"] * 5)),
        lambda found: len({str(cell["id"]) for cell in cells(found)}) == len(cells(found)) > 5,
    ),
    Harmless(
        "half a character",
        with_notebook(notebook("x").replace(b'"x"', b'"\\ud800"')),
        lambda found: cells(found)[0]["source"] == "?",
    ),
    Harmless(
        "NUL in a cell",
        with_notebook(notebook("a\0b")),
        lambda found: cells(found)[0]["source"] == "a\N{REPLACEMENT CHARACTER}b",
    ),
    Harmless(
        "a cell that is a number",
        with_notebook(notebook(7)),
        lambda found: cells(found)[0]["source"] == UNREADABLE_CELL,
    ),
    Harmless(
        "an old format",
        with_notebook(notebook("x", nbformat=3)),
        lambda found: cells(found)[0]["source"] == "x",
    ),
    Harmless(
        "a zip within, never opened",
        of_files(bomb__zip=nested_bomb()),
        lambda found: found.work.files["bomb.zip"].startswith(b"PK"),
    ),
    Harmless(
        "a pickle, never opened",
        of_files(model__pkl=b"cos\nsystem\n(S'touch /tmp/hotloop-pickled'\ntR."),
        lambda _found: not Path("/tmp/hotloop-pickled").exists(),
    ),
    Harmless(
        "a settings file of its own",
        of_files(conftest__py=b"raise SystemExit", sitecustomize__py=b"raise SystemExit"),
        lambda found: (
            found.altered == ()
            and found.work.files["conftest.py"] == b"raise SystemExit"
            and found.work.files["sitecustomize.py"] == b"raise SystemExit"
        ),
    ),
    Harmless(
        "instructions, manifest and variant of its own",
        lambda hired: work(
            hired, {"variant.json": b"{}", "manifest.json": b"{}", "Makefile": b"all:\n\treboot"}
        ),
        lambda found: not {"variant.json", "manifest.json", "Makefile"} & set(found.work.files),
    ),
    Harmless(
        "someone else's variant",
        others_work,
        lambda found: "variant.json" not in found.work.files,
    ),
    Harmless(
        "a log of nonsense",
        with_log(b"\xff\0<script>\n" * 1000),
        lambda found: found.work_log is not None and found.work_log.entries == (),
    ),
    Harmless(
        "a log that is deep",
        with_log(b"[" * 500_000),
        lambda found: found.work_log is not None and found.work_log.entries == (),
    ),
    Harmless(
        "a log from behind all calendars",
        with_log(b'{"kind": "opened", "at": "9999-12-31T23:59:59-23:59"}\n'),
        lambda found: found.work_log is not None and found.work_log.entries == (),
    ),
    Harmless(
        "a log of formulas",
        with_log(b'{"kind": "checked", "task": "=HYPERLINK(1)", "at": "2030-01-01T00:00:00Z"}\n'),
        lambda found: found.work_log is not None and found.work_log.entries == (),
    ),
    Harmless(
        "nothing at all",
        of_files(),
        lambda found: found.handed_in == () and "lab.ipynb" in found.work.files,
    ),
]


@pytest.mark.parametrize("upload_of", HARMLESS, ids=lambda harmless: harmless.name)
def test_has_no_effect_beyond_its_own_verdict(
    upload_of: Harmless, hired: Hired, upload: Callable[[bytes], Path]
) -> None:
    path = upload(upload_of.build(hired))
    before = snapshot(hired.team.folder)
    found = open_submission(path, hired.team, received=RECEIVED)
    assert upload_of.holds(found)
    assert found.manifest == hired.packs[0].manifest
    assert snapshot(hired.team.folder) == before


@pytest.mark.slow
@pytest.mark.sandbox
def test_settings_files_beside_right_work_change_no_verdict(
    hired: Hired, upload: Callable[[bytes], Path]
) -> None:
    module, variant = "fused_softmax", hired.team.variant(hired.packs[0].manifest.pack)
    answer = render.submission(module, None, variant)["lab.ipynb"]
    stops = b"import os\nos._exit(0)\n"
    names = ("sitecustomize.py", "usercustomize.py", "conftest.py")
    path = upload(work(hired, {"lab.ipynb": answer, **dict.fromkeys(names, stops)}))
    found = open_submission(path, hired.team, received=RECEIVED)
    assert found.work.files["sitecustomize.py"] == stops
    with JudgeProcess() as judge:
        judged = judge_submission(
            found.work.files, module, ["online_pass"], judge=judge, variant=variant
        )
    assert judged["online_pass"].verdict is Verdict.PASSED


def test_a_link_in_place_of_the_upload(hired: Hired, tmp_path: Path) -> None:
    target = tmp_path / "real"
    target.write_bytes(raw_zip([opening(hired)]))
    (tmp_path / "link").symlink_to(target)
    for path in (tmp_path / "link", tmp_path / "missing", tmp_path):
        with pytest.raises(RefusedSubmission) as caught:
            open_submission(path, hired.team, received=RECEIVED)
        assert caught.value.code is R.NOT_A_FILE


@pytest.mark.slow
def test_a_bomb_takes_little_memory(hired: Hired, upload: Callable[[bytes], Path]) -> None:
    codes = (R.BOMB, R.TOO_LARGE, R.TOO_MANY_FILES)
    bombs = [a for a in ATTACKS if a.code in codes or "bomb" in a.name]
    assert len(bombs) > 5
    paths = [(attack, attack.build(hired)) for attack in bombs]
    for attack, data in paths:
        path = upload(data)
        tracemalloc.start()
        with pytest.raises(RefusedSubmission):
            open_submission(path, hired.team, received=RECEIVED)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < MEGABYTES << 20, attack.name


def test_the_names_are_nowhere(hired: Hired, upload: Callable[[bytes], Path]) -> None:
    found = open_submission(upload(work(hired, {})), hired.team, received=RECEIVED)
    shown = repr(found) + str(found.manifest)
    assert not any(part in shown for name in NAMES for part in name.split(" "))
    assert base64.b64encode(hired.team.key.variants).decode() not in shown
