"""The wheel that a pack brings along: the team's own, without the model answers of questions.

An interviewer asks questions from the bank, and about lines of the candidate's own; their answers
and rubrics are part of Hotloop. A candidate's machine needs none of them.
"""

import csv
import io
import re
import zipfile
from functools import lru_cache

from hotloop import __version__
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.team import Team, TeamError

_ANSWERS = re.compile(
    r"hotloop/takehome/code_questions\.yaml"
    r"|hotloop/_data/curriculum/(?:[^/]+/questions(?:\.\w+)?\.yaml|questions/.*)"
)
_RECORD = re.compile(r"hotloop-[^/]+\.dist-info/RECORD")


def of_role(team: Team, role: TakehomeRole) -> bytes:
    """Return the wheel that the candidate installs, b"" if the role names none.

    Raises TeamError if it is missing, has another version or contains the solutions.
    """
    if not role.wheel:
        return b""
    path = team.folder / role.wheel
    if not role.wheel.startswith(f"hotloop-{__version__}-"):
        raise TeamError(f"{role.wheel} is not of version {__version__}, which makes the pack.")
    try:
        data = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
        if any(name.startswith("hotloop/_data/solutions/") for name in names):
            raise TeamError(f"{path} holds the solutions: put the plain wheel there.")
        return without_answers(data)
    except (OSError, zipfile.BadZipFile):
        raise TeamError(f"There is no wheel {path}: copy it there, or take `wheel` out.") from None


@lru_cache(maxsize=2)
def without_answers(wheel: bytes) -> bytes:
    """Return the wheel without the questions' files, and without their lines in its RECORD."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(wheel)) as archive,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as stripped,
    ):
        for entry in archive.infolist():
            if _ANSWERS.fullmatch(entry.filename):
                continue
            data = archive.read(entry)
            if _RECORD.fullmatch(entry.filename):
                data = _recorded(data)
            # The entry brings its time, its mode and how it is compressed along.
            stripped.writestr(entry, data)
    return written.getvalue()


def _recorded(record: bytes) -> bytes:
    rows = csv.reader(io.StringIO(record.decode()))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        row for row in rows if not row or not _ANSWERS.fullmatch(row[0])
    )
    return text.getvalue().encode()
