"""The module's given files, and our programs that use them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hotloop.core import paths
from hotloop.judge.onnx.programs import onnx_program
from hotloop.judge.program import Program

PROGRAMS = Path(__file__).parent / "programs"
EXERCISE = paths.exercises() / "resnet_tensorrt"


def network_files() -> Mapping[str, Path]:
    """Return the paths of the network, its weights and the signs, by the names in a program."""
    names = ("resnet.py", "full_width.py", "signs.py", "resnet50_signs.safetensors")
    return {name: EXERCISE / name for name in names}


def program(main: str, *beside: str) -> Program:
    """Return a program with access to the network's files and to others of ours."""
    return onnx_program(
        main, {**network_files(), **{name: PROGRAMS / name for name in (main, *beside)}}
    )


_GRAPH_FILES = {path.name: path for path in PROGRAMS.glob("graph_*.py")}
MAKERS = onnx_program("graph_makers.py", _GRAPH_FILES)
READER = onnx_program("graph_reader.py", _GRAPH_FILES)
"""The programs that make the hidden graphs of the graph tasks, and read what became of them."""
