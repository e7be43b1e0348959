"""Options for compiling and linking a C++ library for PyTorch."""

from pathlib import Path
from typing import Any, cast

DEFINES = ("USE_CUDA",)
"""Makes PyTorch's headers declare its CUDA stream functions."""


def headers() -> list[Path]:
    """Return the folders to pass with `-I`."""
    base = Path(cast(str, pytorch().__file__)).parent / "include"
    return [base, base / "torch" / "csrc" / "api" / "include"]


def link_options(rpath: str) -> list[str]:
    """Return linker options. rpath: the option text to put before PyTorch's library folder."""
    folder = Path(cast(str, pytorch().__file__)).parent / "lib"
    return [f"-L{folder}", f"{rpath}{folder}", "-ltorch_cpu", "-ltorch", "-lc10"]


def pytorch() -> Any:
    """Import PyTorch on first use: the simulator itself does not need it."""
    import torch

    return torch
