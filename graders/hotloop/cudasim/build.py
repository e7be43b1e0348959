"""Programs and libraries from CUDA sources."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from hotloop.cudasim import cache as store
from hotloop.cudasim import toolchain
from hotloop.cudasim.translate import translate

Flavour = Literal["plain", "checked"]
"""plain: as fast as the simulator gets. checked: every access is seen by the runtime."""

_COMMON = (
    "-fPIC",
    "-g1",
    "-fno-strict-aliasing",
    "-pthread",
    # Frames of many pages touch each of them, and so the guard page below a thread's stack.
    "-fstack-clash-protection",
    "--param=stack-clash-protection-guard-size=12",
)
_FLAVOURS: dict[Flavour, tuple[str, ...]] = {
    "plain": ("-O2", "-fno-crossjumping"),  # a barrier keeps a call of its own
    # The runtime is the sanitizers' runtime. Structs are not taken apart, so that a float4 is
    # loaded by one access of 16 bytes, as a GPU loads it; and nothing is vectorised by itself.
    "checked": (
        "-O1",
        "-fno-tree-sra",
        "-fno-ipa-sra",
        "-fsanitize=thread",
        "-fsanitize=bounds,alignment",
        "--param=tsan-instrument-func-entry-exit=0",
        "--param=tsan-distinguish-volatile=1",
    ),
}
_OBSERVED = (
    *("memcpy", "memmove", "memset", "printf"),
    *("modf", "modff", "frexp", "frexpf", "sincos", "sincosf"),
)
"""Functions of the C library that store through pointers: a checked program calls them through the
runtime, which sees what they store, or refuses it."""


@dataclass(frozen=True)
class Built:
    """A program (or library) and the flavour that it was built in."""

    path: Path
    flavour: Flavour


def program(
    sources: Sequence[Path],
    flavour: Flavour,
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
) -> Built:
    """An executable. Unsupported, CompileError or ToolMissing when it cannot be built."""
    return _build(sources, flavour, include, defines, "program", ())


def library(
    sources: Sequence[Path],
    flavour: Flavour,
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
    link: Sequence[str] = (),
) -> Built:
    """A shared library with the runtime in it. link: further options for the linker."""
    return _build(sources, flavour, include, defines, "library", link)


def _build(
    sources: Sequence[Path],
    flavour: Flavour,
    include: Sequence[Path],
    defines: Sequence[str],
    form: Literal["program", "library"],
    link: Sequence[str],
) -> Built:
    texts = [translate(source, include, defines) for source in sources]
    name = store.digest([_runtime_digest(), flavour, form, *link, *texts])

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory() as temporary:
            objects = [
                _compile(text, Path(temporary) / f"{number}.o", flavour)
                for number, text in enumerate(texts)
            ]
            shared = ["-shared", "-Wl,-Bsymbolic"] if form == "library" else []
            toolchain.call(
                [
                    toolchain.compiler(),
                    *shared,
                    "-o",
                    str(target),
                    *map(str, objects),
                    str(_runtime_object(form)),
                    *map(str, _runtime_objects()),
                    "-pthread",
                    "-ldl",
                    *link,
                ]
            )

    suffix = ".so" if form == "library" else ""
    return Built(store.made(f"{name}{suffix}", make), flavour)


def _compile(text: str, target: Path, flavour: Flavour) -> Path:
    toolchain.call(
        [
            toolchain.compiler(),
            "-x",
            "c++-cpp-output",
            toolchain.STANDARD,
            *_COMMON,
            *_FLAVOURS[flavour],
            "-c",
            "-",
            "-o",
            str(target),
        ],
        stdin=text,
    )
    if flavour == "checked":
        renamed = [f"--redefine-sym={name}=cudasim_{name}" for name in _OBSERVED]
        toolchain.call([toolchain.objcopy(), *renamed, str(target)])
    return target


# --- the runtime ----------------------------------------------------------------------------------


def symbols(source: Path, flavour: Flavour = "checked") -> tuple[set[str], set[str]]:
    """Names that a source alone leaves to the linker, and names that it defines."""
    undefined: set[str] = set()
    defined: set[str] = set()
    with tempfile.TemporaryDirectory() as temporary:
        target = _compile(translate(source), Path(temporary) / "one.o", flavour)
        for row in toolchain.call([toolchain.nm(), "-P", str(target)]).splitlines():
            name, kind, *_ = row.split()
            (undefined if kind in "Uw" else defined).add(name)
    return undefined, defined


_ENTRIES = ("program", "library")


def runtime() -> Path:
    """A folder with all objects that a library is linked with, built if they are not.

    It may be shown to others, as `HOTLOOP_CUDASIM_PREBUILT`. ToolMissing without g++.
    """
    folder = store.folder() / f"runtime-{_runtime_digest()}"
    folder.mkdir(exist_ok=True)
    for path in [_runtime_object("library"), *_runtime_objects()]:
        if not (folder / path.name).exists():
            store.made(f"{folder.name}/{path.name}", lambda new, path=path: _copied(path, new))
    store.used(folder)
    return folder


def _copied(path: Path, target: Path) -> None:
    shutil.copyfile(path, target)


@cache
def _runtime_digest() -> str:
    """Of everything that a built file depends on beside its source."""
    files = sorted(path for path in toolchain.CPP.rglob("*") if path.is_file())
    flags = [*_COMMON, *(flag for flags in _FLAVOURS.values() for flag in flags), *_OBSERVED]
    return store.digest(
        [toolchain.version(), *flags, *(part for f in files for part in (f.name, f.read_bytes()))]
    )


@cache
def _runtime_objects() -> list[Path]:
    names = [p.stem for p in sorted(toolchain.RUNTIME.glob("*.cpp")) if p.stem not in _ENTRIES]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(_runtime_object, names))


def _runtime_object(name: str) -> Path:
    def make(target: Path) -> None:
        toolchain.call(
            [
                toolchain.compiler(),
                toolchain.STANDARD,
                "-O2",
                "-g1",
                "-fPIC",
                "-Wall",
                "-Wextra",
                "-DCUDASIM_RUNTIME",
                f"-I{toolchain.INCLUDE}",
                f"-I{toolchain.RUNTIME}",
                "-c",
                str(toolchain.RUNTIME / f"{name}.cpp"),
                "-o",
                str(target),
            ]
        )

    return store.made(f"{_runtime_digest()}-{name}.o", make)
