"""Runs the programs that demonstrate claims of answers and lessons, and records their output.

A program's output is stored next to it as <name>.txt. Another run must print the same, with two
exceptions: a line that begins with MEASURED has figures that vary between runs, and a line that
begins with UNMEASURED says what this machine lacks and replaces the output.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hotloop.core import paths

MEASURED = "measured: "
_ERROR = re.compile(r"\d(?:\.\d+)?e-\d\d")
UNMEASURED = "not measured here: "
SECONDS = 150
"""Timeout in seconds; longer than any program takes on a busy machine."""

State = Literal["same", "new", "changed", "failed", "lacking"]


class ProofFailed(Exception):
    """The program failed, printed nothing or took too long. The message says which."""


@dataclass(frozen=True)
class ProofResult:
    """The result for one program. sentence: details, "" if there are none."""

    name: str
    path: Path
    state: State
    sentence: str = ""


def programs(names: Sequence[str] = ()) -> list[Path]:
    """Return the proofs that the names select: `module`, `questions` or `module.program`.

    All, if there are no names. Raises KeyError if a name selects none.
    """
    known = sorted(paths.curriculum().glob("*/proofs/*.py"))
    if not names:
        return known
    chosen: list[Path] = []
    for name in names:
        matches = [path for path in known if name in (name_of(path), path.parents[1].name)]
        if not matches:
            raise KeyError(f"there is no proof {name!r}")
        chosen += [path for path in matches if path not in chosen]
    return chosen


def name_of(path: Path) -> str:
    """Return the program's name, `module.program`."""
    return f"{path.parents[1].name}.{path.stem}"


def record_of(path: Path) -> Path:
    """Return the file of the program's recorded output."""
    return path.with_suffix(".txt")


def output_of(path: Path) -> str:
    """Return what the program prints. Raises ProofFailed if it fails or takes too long."""
    try:
        done = subprocess.run(
            [sys.executable, str(path)],
            check=False,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
    except subprocess.TimeoutExpired:
        raise ProofFailed(f"it takes more than {SECONDS} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ProofFailed(lines[-1])
    if not done.stdout.strip():
        raise ProofFailed("it prints nothing")
    return done.stdout


def difference(output: str, recorded: str) -> str:
    """Return the first line that differs but should not, with the recorded one; "" if none does."""
    new, old = _comparable(output), _comparable(recorded)
    measured = [line for line in new if not line.startswith(UNMEASURED)]
    if len(measured) < len(new):
        # This machine lacks something: what it measured must be in the record.
        return next((f"{line!r} is not recorded" for line in measured if line not in old), "")
    for here, there in zip(new, old, strict=False):
        if not _same(here, there):
            return f"{here!r}, recorded is {there!r}"
    if len(new) != len(old):
        return f"{len(new)} lines, recorded are {len(old)}"
    return ""


def _same(here: str, there: str) -> bool:
    """Return True if two lines are equal, except for rounding errors within a factor of 2.

    Rounding errors, such as 8.5e-04, depend on the order in which a CPU's vector units add.
    """
    if _ERROR.split(here) != _ERROR.split(there):
        return False
    pairs = zip(_ERROR.findall(here), _ERROR.findall(there), strict=True)
    return all(max(map(float, pair)) <= 2 * min(map(float, pair)) for pair in pairs)


def compare(path: Path) -> ProofResult:
    """Run the program and compare its output with the record."""
    return _outcome(path, write=False)


def record(path: Path) -> ProofResult:
    """Run the program and record its output, unless it agrees with the record."""
    return _outcome(path, write=True)


def _outcome(path: Path, *, write: bool) -> ProofResult:
    name, file = name_of(path), record_of(path)
    try:
        output = output_of(path)
    except ProofFailed as failure:
        lacking = "ModuleNotFoundError" in str(failure)
        return ProofResult(name, path, "lacking" if lacking else "failed", str(failure))
    unmeasured = [line for line in output.splitlines() if line.startswith(UNMEASURED)]
    recorded = file.read_text(encoding="utf-8") if file.is_file() else None
    change = "no recorded output" if recorded is None else difference(output, recorded)
    if not change:
        return ProofResult(name, path, "same", *unmeasured[:1])
    if unmeasured:
        return ProofResult(name, path, "lacking", unmeasured[0])
    if write:
        file.write_text(output, encoding="utf-8")
    return ProofResult(name, path, "new" if recorded is None else "changed", change)


def _comparable(output: str) -> list[str]:
    """Return the lines, without the figures that vary between runs."""
    lines = (line.rstrip() for line in output.splitlines())
    return [MEASURED if line.startswith(MEASURED) else line for line in lines]
