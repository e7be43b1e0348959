"""Which of the machine's files a confined process sees: an allow-list, with parts hidden again.

Visible are the system's programs and libraries, the interpreter with its packages, and of Hotloop
only `hotloop/__init__.py`, `hotloop/core`, `hotloop/worker`, and of `hotloop/engines` what a
learner's own code uses (`accelerator`, `simulate` and `trace`) or what reads it without running it
(`prover`). A wheel installs Hotloop among the packages, and a clone can be inside a visible folder:
both are hidden.
"""

import os
import site
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hotloop.sandbox.confinement import PACKAGES

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
_PACKAGE = Path(__file__).resolve().parents[1]
_ENVIRONMENT = ("bin", "include", "lib", "lib64", "share")
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class View:
    """The base file system.

    visible: pairs of inside path and host path. hidden: inside paths that appear empty. links:
    pairs of inside path and target. packages: folders for PYTHONPATH, in order.
    """

    visible: tuple[tuple[Path, Path], ...]
    hidden: tuple[Path, ...]
    links: tuple[tuple[Path, str], ...]
    packages: tuple[str, ...]


@cache
def base_view() -> View:
    """Return what every confined process sees; cached."""
    system, links = _system()
    interpreter = _interpreter()
    outside = [path for path in _user_packages() if not below(path, [*system, *interpreter])]
    trees = [*system, *interpreter, *outside]
    etc = [Path("/etc") / name for name in _ETC if (Path("/etc") / name).exists()]
    worker = [
        (Path(PACKAGES) / "hotloop" / name, _PACKAGE / name)
        for name in (
            "__init__.py",
            "core",
            "worker",
            "engines/__init__.py",
            "engines/accelerator",
            "engines/prover",
            "engines/simulate",
            "engines/trace",
        )
    ]
    return View(
        visible=(*((path, path) for path in (*trees, *etc)), *worker),
        hidden=tuple(_hidden(trees)),
        links=(*links, *_executable_links(trees)),
        packages=(PACKAGES, *map(str, outside)),
    )


def _system() -> tuple[list[Path], list[tuple[Path, str]]]:
    folders: list[Path] = []
    links: list[tuple[Path, str]] = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            links.append((path, str(path.readlink())))
        elif path.is_dir():
            folders.append(path)
    return folders, links


def _interpreter() -> list[Path]:
    """Return the prefixes of the environment and of its base Python, links also resolved."""
    prefixes: list[Path] = []
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix):
        for path in (Path(prefix), Path(prefix).resolve()):
            if path not in prefixes and not below(path, [Path("/usr"), *prefixes]):
                prefixes.append(path)
    return prefixes


def _user_packages() -> list[Path]:
    """Return package folders that Python inside would not find by itself, such as ~/.local."""
    user = Path(site.getusersitepackages())
    searched = [Path("/usr"), *_interpreter()]
    return [
        path
        for path in dict.fromkeys(map(Path, sys.path))
        if path.name in _PACKAGE_FOLDERS
        and path.is_dir()
        and (path == user or not below(path, searched))
    ]


def _executable_links(trees: list[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the links outside `trees` through which an environment's python leads to its prefix."""
    path = Path(sys.executable)
    for _ in range(40):
        if not below(path, trees):
            yield path, str(path.resolve())
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _hidden(trees: list[Path]) -> Iterator[Path]:
    installed = dict.fromkeys(path.resolve() for path in _installed(trees) if path.is_dir())
    yield from (path for path in installed if below(path, trees))
    clone = _PACKAGE.parents[1]
    if _PACKAGE.parent.name in _PACKAGE_FOLDERS or not below(clone, trees):
        return
    if clone not in trees:
        yield clone
        return
    # A virtual environment was created in the clone's own folder.
    for path in clone.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name not in _ENVIRONMENT:
            yield path


def _installed(trees: Iterable[Path]) -> Iterator[Path]:
    """Yield the places of Hotloop as an installed package, with its dist-info folders."""
    for tree in trees:
        for folders in _PACKAGE_FOLDERS:
            for packages in (tree, *tree.glob("lib*/python3*"), *tree.glob("local/lib/python3*")):
                folder = packages if packages.name == folders else packages / folders
                yield folder / "hotloop"
                yield from folder.glob("hotloop-*.dist-info")


def below(path: Path, trees: Iterable[Path]) -> bool:
    """Return True if `path` is one of the trees or inside one."""
    return any(path == tree or tree in path.parents for tree in trees)
