"""Where the programs of NVIDIA's compiler are: on PATH, in CUDA_HOME, in NVIDIA's wheels, below
/usr/local, or in Triton. Everything in Hotloop that needs one asks here.
"""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

HEADERS = Path(__file__).resolve().parent / "include"
"""Headers of ours that CUDA C++ may include, for nvcc and for the simulator alike."""

INSTALLED = Path("/usr/local")
"""Where NVIDIA's own installer puts CUDA."""

NVCC_VARIABLE = "HOTLOOP_NVCC"
"""Environment variable by which the judge names the nvcc that it has found to a worker, which sees
neither its PATH nor its CUDA_HOME."""

ARCHITECTURE_VARIABLE = "HOTLOOP_CUDA_ARCHITECTURE"
"""Environment variable by which the judge names the card to compile for, such as sm_90."""


def program(name: str) -> Path | None:
    """Path of a program such as nvcc, or None where there is none."""
    named = os.environ.get(NVCC_VARIABLE) if name == "nvcc" else None
    on_path = named or shutil.which(name)
    if on_path is not None:
        return Path(on_path)
    found = (folder / name for folder in _folders())
    return next((path for path in found if os.access(path, os.X_OK)), None)


def architecture() -> str:
    """What nvcc is to compile for: the judge's card, or the one that nvcc finds."""
    return os.environ.get(ARCHITECTURE_VARIABLE, "native")


def _folders() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home:
            yield Path(home) / "bin"
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations if spec is not None else None) or ():
        # Later releases first: nvidia/cu13 before nvidia/cuda_nvcc, which is CUDA 12.
        yield from sorted(Path(place).glob("cu*/bin"), key=_age)
    yield INSTALLED / "cuda" / "bin"
    yield from sorted(INSTALLED.glob("cuda-*/bin"), reverse=True)
    # Triton brings a disassembler of its own.
    spec = importlib.util.find_spec("triton")
    for place in (spec.submodule_search_locations if spec is not None else None) or ():
        yield Path(place) / "backends" / "nvidia" / "bin"


def _age(folder: Path) -> tuple[int, str]:
    release = re.fullmatch(r"cu(\d+)", folder.parent.name)
    return (-int(release[1]) if release is not None else 0), str(folder)
