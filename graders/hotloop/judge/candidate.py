"""Who is judged: a function of the notebook, or of a file beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Style = Literal["return", "destination", "json"]


@dataclass(frozen=True)
class Candidate:
    """What the learner wrote that is judged.

    name: a callable, in the notebook's namespace or in `file`; `library::name` is what a CUDA file
        registers with PyTorch, which is then called without any Python of the learner's.
    file: a source file beside the notebook, loaded in a worker process of its own; None means the
        notebook's kernel itself is the worker.
    style: how results come back. "return": one tensor, copied by the worker into the judge's
        buffer. "destination": the last argument is the judge's output tensor. "json": plain data.
    framework: what the tensors are in the worker.
    operator: the file builds an operator in CUDA C++, with the simulator where there is no GPU.
    harness: for a CUDA file, a CUDA file of ours that launches the kernel called `name`.
    """

    name: str
    file: str | None = None
    style: Style = "return"
    framework: Literal["torch", "numpy"] = "torch"
    operator: bool = False
    harness: Path | None = None
