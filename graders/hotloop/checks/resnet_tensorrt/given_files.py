"""The module's given files, as the judge's own programs see them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hotloop.core import paths

MODULE = "resnet_tensorrt"
HARNESS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / MODULE

WEIGHTS = "resnet50_signs.safetensors"


def network_files() -> Mapping[str, Path]:
    """The network, its weights and the signs, by the name that a program knows them by."""
    return {name: GIVEN / name for name in ("resnet.py", "signs.py", WEIGHTS)}


def program_files(*names: str) -> Mapping[str, Path]:
    """Those and files of the harness."""
    return {**network_files(), **{name: HARNESS / name for name in names}}
