"""Finds the programs of NVIDIA's toolkit for all of Hotloop.

They are looked up on PATH, in CUDA_HOME, in NVIDIA's wheels, below /usr/local and in Triton.
"""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

HEADERS = Path(__file__).resolve().parent / "include"
"""Hotloop's own headers that CUDA C++ may include, with nvcc and in the simulator."""

INSTALLED = Path("/usr/local")
"""Where NVIDIA's own installer puts CUDA."""

NVCC_VARIABLE = "HOTLOOP_NVCC"
"""Environment variable with the path of the nvcc that the judge found.

A worker sees neither the judge's PATH nor its CUDA_HOME.
"""

ARCHITECTURE_VARIABLE = "HOTLOOP_CUDA_ARCHITECTURE"
"""Environment variable with the architecture to compile for, such as sm_90. The judge sets it."""


_HOPPER = re.compile(r'^\s*#\s*include\s*[<"]hotloop/(?:hopper|blackwell)\.cuh[>"]', re.MULTILINE)
_OLDEST = 90
"""Oldest compute capability that has instructions of its own."""


def program(name: str) -> Path | None:
    """Return the path of a program such as nvcc, or None if it is not installed."""
    named = os.environ.get(NVCC_VARIABLE) if name == "nvcc" else None
    on_path = named or shutil.which(name)
    if on_path is not None:
        return Path(on_path)
    paths = (folder / name for folder in _folders())
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def architecture() -> str:
    """Return nvcc's `-arch` value: what the judge set, or "native" (the GPU that nvcc finds)."""
    return os.environ.get(ARCHITECTURE_VARIABLE, "native")


def with_own_instructions(architecture: str, sources: Iterable[Path]) -> str:
    """Return sm_90a for sm_90 if one of the sources includes `hopper.cuh` or `blackwell.cuh`.

    wgmma and setmaxnreg exist in sm_90a only, whose code runs on no other GPU; so other sources
    keep their architecture, and so does one that is older than Hopper.
    """
    if not any(_HOPPER.search(path.read_text("utf-8", "replace")) for path in sources):
        return architecture
    if architecture == "native":
        return "sm_90a"
    number = re.fullmatch(r"sm_(\d+)", architecture)
    return f"{architecture}a" if number is not None and int(number[1]) >= _OLDEST else architecture


def _folders() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home:
            yield Path(home) / "bin"
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations if spec is not None else None) or ():
        # Newest release first: nvidia/cu13 before nvidia/cuda_nvcc, which is CUDA 12.
        yield from sorted(Path(place).glob("cu*/bin"), key=_newest_first)
    yield INSTALLED / "cuda" / "bin"
    yield from sorted(INSTALLED.glob("cuda-*/bin"), reverse=True)
    # Triton ships its own disassembler.
    spec = importlib.util.find_spec("triton")
    for place in (spec.submodule_search_locations if spec is not None else None) or ():
        yield Path(place) / "backends" / "nvidia" / "bin"


def _newest_first(folder: Path) -> tuple[int, str]:
    release = re.fullmatch(r"cu(\d+)", folder.parent.name)
    return (-int(release[1]) if release is not None else 0), str(folder)
