"""Identifies what judged an attempt: a digest of the code, and facts about the machine."""

import hashlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hotloop.core import paths
from hotloop.judge.device import device_name, driver_version
from hotloop.sandbox.level import level

_PACKAGE = Path(__file__).resolve().parents[2]

PARTS = ("judge", "worker", "sandbox", "simulate", "nvcc", "serving", "trace")
"""Folders of the package that affect verdicts of all modules."""

COURSE = (
    "channels.py",
    "execution.py",
    "hand_in.py",
    "inspect_markdown.py",
    "judging.py",
    "kernel.py",
    "notebook_run.py",
    "outputs.py",
    "repair.py",
    "rulings.py",
    "sanitize.py",
)
"""Files of course/ that run a notebook or decide which parts of a hand-in are run."""

LIBRARIES = ("numpy", "torch", "triton", "wasmtime", "ziglang")


def grader_digest(module: str) -> str:
    """Return the SHA-256 of all code and data that can change a verdict about `module`.

    Code is read once per process, as it was imported; the module's curriculum data is read each
    time.
    """
    folder = paths.curriculum() / module
    described = [folder / "module.yaml", *sorted((folder / "model").rglob("*"))]
    return _digest([_code(module), *(_content(path) for path in described if path.is_file())])


def machine(isolation: str | None = None) -> dict[str, str | int]:
    """Describe this machine and its libraries. isolation: default: this machine's level."""
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
        "device": device_name(),
        "driver": driver_version(),
        "cores": len(os.sched_getaffinity(0)),
        "isolation": isolation or level()[0],
    }


@cache
def _code(module: str) -> str:
    named = [(p.relative_to(_PACKAGE).as_posix(), _content(p)) for p in sorted(_files(module))]
    return _digest([word for pair in named for word in pair])


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(words: list[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _files(module: str) -> Iterator[Path]:
    for part in PARTS:
        yield from _below(_PACKAGE / part)
    for name in COURSE:
        yield _PACKAGE / "course" / name
    yield _PACKAGE / "curriculum.py"
    checks = _PACKAGE / "checks"
    yield checks / "__init__.py"
    for path in _below(checks):
        if module in {Path(part).stem for part in path.relative_to(checks).parts}:
            yield path


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
