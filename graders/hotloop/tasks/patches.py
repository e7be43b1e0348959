"""Wrong answers stored as diffs: applied to the reference's source, and rebased after it changed.

A patch begins with a sentence about the mistake and a line `fails: task.check`. A unified diff
against files of `solutions/` follows, in the format of `git apply`.
"""

import difflib
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from hotloop.core import paths
from hotloop.tasks.markers import MarkerError, lines_of

SUFFIX = ".patch"
_BEGIN = re.compile(r"^(?=diff --git |--- a/)", re.MULTILINE)

CONTEXT = 3
"""Lines of context around a change, as in git."""

Read = Callable[[str], str]
"""Returns the text of a file, by its path in a patch: `solutions/<module>/<file>`."""


def patched(patch: Path, read: Read) -> dict[str, str]:
    """Return the text of the files that a patch changes, with its mistake applied.

    Raises MarkerError, with the patch's line, if it does not apply.
    """
    try:
        files = PatchSet(patch.read_text(encoding="utf-8"))
    except UnidiffParseError as error:
        raise MarkerError(f"{patch}:1: it is no unified diff: {error}") from None
    if not files:
        raise MarkerError(f"{patch}:1: it is no unified diff")
    return {file.path: _changed(file, patch, read) for file in files}


def fits(patch: Path) -> bool:
    """Return True if the patch applies to the current solutions."""
    try:
        patched(patch, from_solutions)
    except MarkerError:
        return False
    return True


def _changed(file: PatchedFile, patch: Path, read: Read) -> str:
    try:
        lines = lines_of(read(file.path))
    except FileNotFoundError:
        raise MarkerError(f"{patch}:1: it changes {file.path}, which is not there") from None
    changed: list[str] = []
    place = 0
    for hunk in file:
        wanted = [line for line in hunk if not line.is_added]
        start = hunk.source_start - (1 if wanted else 0)
        for number, line in enumerate(wanted, start=start):
            if number >= len(lines) or lines[number] != line.value.rstrip("\n"):
                raise MarkerError(
                    f"{patch}:{line.diff_line_no}: line {number + 1} of {file.path} is not this "
                    "one. `hotloop author render --rebase` carries a patch over a change of the "
                    "reference"
                )
        changed += lines[place:start]
        changed += [line.value.rstrip("\n") for line in hunk if not line.is_removed]
        place = start + len(wanted)
    return "\n".join([*changed, *lines[place:]]) + "\n"


def from_solutions(name: str) -> str:
    """Return a file of the current solutions, in a clone or installed (a `Read`)."""
    return (paths.solutions() / name.removeprefix("solutions/")).read_text(encoding="utf-8")


def difference(name: str, right: str, wrong: str) -> str:
    """Return the part of a patch for one file."""
    diff = difflib.unified_diff(
        lines_of(right), lines_of(wrong), f"a/{name}", f"b/{name}", n=CONTEXT, lineterm=""
    )
    return "".join(f"{line}\n" for line in diff)


def header(patch: Path) -> str:
    """Return the text of a patch before its diff."""
    return _BEGIN.split(patch.read_text(encoding="utf-8"), maxsplit=1)[0].strip()


def rebased(patch: Path) -> str:
    """Return a patch for the last commit's solutions, adapted to the current ones.

    Raises MarkerError if both change the same lines, or if it does not apply to the last commit.
    """
    text = f"{header(patch)}\n\n"
    for name, wrong in patched(patch, _from_last_commit).items():
        merged = _merged(from_solutions(name), _from_last_commit(name), wrong)
        if merged is None:
            raise MarkerError(f"{patch}:1: {name} has changed in the lines that it changes")
        text += difference(name, from_solutions(name), merged)
    return text


def _merged(ours: str, base: str, theirs: str) -> str | None:
    """Return both changes of `base` merged; None if they conflict."""
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        names = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, text in zip(names, (ours, base, theirs), strict=True):
            path.write_text(text, encoding="utf-8")
        merged = subprocess.run(
            ["git", "merge-file", "-p", *names], check=False, capture_output=True, text=True
        )
    return merged.stdout if merged.returncode == 0 else None


def _from_last_commit(name: str) -> str:
    result = subprocess.run(
        ["git", "show", f"HEAD:{name}"],
        cwd=paths.root(),
        check=False,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        raise FileNotFoundError(name)
    return result.stdout
