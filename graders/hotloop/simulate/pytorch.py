"""What a C++ library for PyTorch is compiled and linked with."""

from pathlib import Path
from typing import Any, cast

DEFINES = ("USE_CUDA",)
"""PyTorch's headers then tell of its streams."""


def headers() -> list[Path]:
    """Folders for `-I`."""
    base = Path(cast(str, pytorch().__file__)).parent / "include"
    return [base, base / "torch" / "csrc" / "api" / "include"]


def link_options(rpath: str) -> list[str]:
    """For the linker. rpath: what it takes before the folder of PyTorch's libraries."""
    folder = Path(cast(str, pytorch().__file__)).parent / "lib"
    return [f"-L{folder}", f"{rpath}{folder}", "-ltorch_cpu", "-ltorch", "-lc10"]


def pytorch() -> Any:
    """Imported late: the simulator itself needs no PyTorch."""
    import torch

    return torch
