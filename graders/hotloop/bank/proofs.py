"""Runs the programs that show what answers and lessons claim, and keeps what they printed.

What a program prints stands beside it as <name>.txt. The same run must print the same again, but
for two kinds of lines: one that begins with MEASURED holds figures that differ from run to run,
and one that begins with UNMEASURED says what this machine lacks, in place of what it would print.
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
"""Longer than any program takes on a busy machine."""

State = Literal["same", "new", "changed", "failed", "lacking"]


class ProofFailed(Exception):
    """The program did not run to its end; the text is what it last said."""


@dataclass(frozen=True)
class Outcome:
    """What became of one program. sentence: what to know about it, "" if nothing."""

    name: str
    path: Path
    state: State
    sentence: str = ""


def programs(names: Sequence[str] = ()) -> list[Path]:
    """The proofs that the names ask for: `module`, `questions` or `module.program`; or all.

    KeyError when a name asks for none.
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
    """`module.program`."""
    return f"{path.parents[1].name}.{path.stem}"


def record_of(path: Path) -> Path:
    """Where the program's output is kept."""
    return path.with_suffix(".txt")


def output_of(path: Path) -> str:
    """What the program prints. ProofFailed when it fails, or takes too long."""
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
    """The first line that should be equal and is not, with the recorded one; "" if none is."""
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
    """Rounding errors, such as 8.5e-04, depend on the order in which a CPU's vector units add."""
    if _ERROR.split(here) != _ERROR.split(there):
        return False
    pairs = zip(_ERROR.findall(here), _ERROR.findall(there), strict=True)
    return all(max(map(float, pair)) <= 2 * min(map(float, pair)) for pair in pairs)


def compare(path: Path) -> Outcome:
    """Run the program and hold what it prints against the record."""
    return _outcome(path, write=False)


def record(path: Path) -> Outcome:
    """Run the program and keep what it prints, unless that says the same as the record."""
    return _outcome(path, write=True)


def _outcome(path: Path, *, write: bool) -> Outcome:
    name, kept = name_of(path), record_of(path)
    try:
        output = output_of(path)
    except ProofFailed as failure:
        lacking = "ModuleNotFoundError" in str(failure)
        return Outcome(name, path, "lacking" if lacking else "failed", str(failure))
    unmeasured = [line for line in output.splitlines() if line.startswith(UNMEASURED)]
    recorded = kept.read_text(encoding="utf-8") if kept.is_file() else None
    told = "no recorded output" if recorded is None else difference(output, recorded)
    if not told:
        return Outcome(name, path, "same", *unmeasured[:1])
    if unmeasured:
        return Outcome(name, path, "lacking", unmeasured[0])
    if write:
        kept.write_text(output, encoding="utf-8")
    return Outcome(name, path, "new" if recorded is None else "changed", told)


def _comparable(output: str) -> list[str]:
    """The lines, with no figures where they differ from run to run."""
    lines = (line.rstrip() for line in output.splitlines())
    return [MEASURED if line.startswith(MEASURED) else line for line in lines]


def _first_unknown(said: Sequence[str], kept: Sequence[str]) -> str:
    """What of a machine that lacks something is not in the record of one that does not."""
    unknown = (line for line in _shown(said) if line not in kept)
    return next((f"{line!r} is not recorded" for line in unknown), "")


def _shown(said: Sequence[str]) -> Iterator[str]:
    return (line for line in said if not line.startswith(UNMEASURED))
