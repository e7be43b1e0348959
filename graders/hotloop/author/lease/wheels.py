"""Which wheels a lease needs, and packing them where there is a network.

The card's machine has torch, Triton and numpy, and reaches no registry.
"""

import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hotloop.author.lease.pieces import TOO_LARGE, Need, Piece
from hotloop.core import paths

PYTHON = "3.12"
"""The card's machine's."""

MOST_BYTES = 64 << 20
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
             "manylinux2014_x86_64")  # fmt: skip
BASE = ("pyseccomp", "pydantic", "PyYAML", "rich", "typer", "jupytext", "nbformat", "unidiff",
        "ipykernel")  # fmt: skip
"""What the judge, the command line and the submissions are made with; needed by every piece."""

BROUGHT = ("torch", "triton", "numpy", "sympy", "mpmath", "hotloop")
"""What is there already, with torch, or is this checkout."""


def by_group(pieces: Iterable[Piece]) -> dict[str, int]:
    """Return the points that wait for each group of packages, the most first."""
    points: dict[str, int] = {}
    for piece in pieces:
        for group in () if piece.need is Need.NONE else set(piece.extras) - TOO_LARGE.keys():
            points[group] = points.get(group, 0) + piece.points
    return dict(sorted(points.items(), key=lambda item: -item[1]))


def requirements(group: str = "") -> list[str]:
    """Return what pip is to download for a group; for "", what every piece needs."""
    text = (paths.root() / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    groups: dict[str, list[str]] = project["optional-dependencies"]
    if group:
        return [each for each in groups[group] if _name(each) not in BROUGHT]
    declared = [*project["dependencies"], *groups["local"]]
    by_name = {_name(each): each.partition(";")[0].strip() for each in declared}
    return [by_name[name.lower()] for name in BASE]


def _name(requirement: str) -> str:
    end = next((i for i, c in enumerate(requirement) if not (c.isalnum() or c in "-_.")), None)
    return requirement[:end].lower()


def pack(
    groups: Iterable[str], folder: Path, say: Callable[[str], None], most_bytes: int = MOST_BYTES
) -> list[str]:
    """Download the base's wheels, then each group's while all fit; return the groups that fit.

    Raises RuntimeError if the base cannot be downloaded or does not fit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not download(requirements(), folder) or _bytes(folder) > most_bytes:
        raise RuntimeError(f"the wheels that every piece needs are not in {folder}")
    say(f"every piece: {_bytes(folder) / 1e6:.0f} MB")
    taken: list[str] = []
    for group in groups:
        before = set(folder.iterdir())
        if download(requirements(group), folder) and _bytes(folder) <= most_bytes:
            taken.append(group)
            say(f"{group}: {_bytes(folder) / 1e6:.0f} MB in all")
            continue
        for path in set(folder.iterdir()) - before:
            path.unlink()
        say(f"{group}: left out, it is not to be had as wheels or does not fit")
    return taken


def download(required: Sequence[str], folder: Path) -> bool:
    """Download wheels for the card's Python, without what is there already."""
    constraints = folder.parent / "brought.txt"
    constraints.write_text("numpy>=2\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:",
               "--python-version", PYTHON, "--implementation", "cp", "--constraint",
               str(constraints), "--dest", str(folder)]  # fmt: skip
    command += [word for platform in PLATFORMS for word in ("--platform", platform)]
    done = subprocess.run([*command, *required], check=False, stdout=sys.stderr)
    for path in folder.glob("*.whl"):
        if path.name.partition("-")[0].lower() in BROUGHT or path.name.startswith("nvidia_"):
            path.unlink()
    return done.returncode == 0


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
