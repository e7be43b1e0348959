"""The module's given files, and the judge's programs that read them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hotloop.core import paths
from hotloop.judge.onnx.programs import onnx_program
from hotloop.judge.program import Program

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "yolo_on_mobile"
NETWORK = {name: GIVEN / name for name in ("detector.py", "shapes.py", "yolo_shapes.npz")}
"""The detector, its weights and its scenes, keyed by the file name that programs import or open."""


def program(main: str, *beside: str, environment: tuple[tuple[str, str], ...] = ()) -> Program:
    """Return a program that can read the network's files and `beside`, files in PROGRAMS."""
    ours = {name: PROGRAMS / name for name in (main, *beside)}
    return replace(onnx_program(main, {**NETWORK, **ours}), environment=environment)


EAGER = program("eager.py")
"""The detector in PyTorch, which gives the reference tables."""
