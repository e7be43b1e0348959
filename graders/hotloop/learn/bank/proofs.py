"""Runs the programs that demonstrate claims of answers and lessons, and records their output.

A program's output is stored next to it as <name>.txt. Another run must print the same, with two
exceptions: a line that begins with MEASURED has figures that vary between runs, and a line that
begins with UNMEASURED says what this machine lacks and replaces the output.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
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
    found: list[Path] = []
    for name in names:
        asked = [path for path in known if name in (name_of(path), path.parents[1].name)]
        if not asked:
            raise KeyError(f"there is no proof {name!r}")
        found += [path for path in asked if path not in found]
    return found


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
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ProofFailed(said[-1])
    if not done.stdout.strip():
        raise ProofFailed("it prints nothing")
    return done.stdout


def difference(output: str, recorded: str) -> str:
    """Return the first line that differs but should not, with the recorded one; "" if none does."""
    said, kept = _comparable(output), _comparable(recorded)
    if any(line.startswith(UNMEASURED) for line in said):
        return _first_unknown(said, kept)
    for here, there in zip(said, kept, strict=False):
        if not _same(here, there):
            return f"{here!r}, recorded is {there!r}"
    if len(said) != len(kept):
        return f"{len(said)} lines, recorded are {len(kept)}"
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
    name, kept = name_of(path), record_of(path)
    try:
        output = output_of(path)
    except ProofFailed as failure:
        lacking = "ModuleNotFoundError" in str(failure)
        return ProofResult(name, path, "lacking" if lacking else "failed", str(failure))
    unmeasured = [line for line in output.splitlines() if line.startswith(UNMEASURED)]
    recorded = kept.read_text(encoding="utf-8") if kept.is_file() else None
    told = "no recorded output" if recorded is None else difference(output, recorded)
    if not told:
        return ProofResult(name, path, "same", *unmeasured[:1])
    if unmeasured:
        return ProofResult(name, path, "lacking", unmeasured[0])
    if write:
        kept.write_text(output, encoding="utf-8")
    return ProofResult(name, path, "new" if recorded is None else "changed", told)


def _comparable(output: str) -> list[str]:
    """Return the lines, without the figures that vary between runs."""
    lines = (line.rstrip() for line in output.splitlines())
    return [MEASURED if line.startswith(MEASURED) else line for line in lines]


def _first_unknown(said: Sequence[str], kept: Sequence[str]) -> str:
    """Return the first line that is not in the record, for a machine that lacks something."""
    unknown = (line for line in _shown(said) if line not in kept)
    return next((f"{line!r} is not recorded" for line in unknown), "")


def _shown(said: Sequence[str]) -> Iterator[str]:
    return (line for line in said if not line.startswith(UNMEASURED))
