"""Who is judged: a function of the notebook, or of a file beside it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Style = Literal["return", "destination", "json"]
Framework = Literal["torch", "numpy", "jax"]


@dataclass(frozen=True)
class Candidate:
    """What the learner wrote that is judged."""

    name: str
    """A callable, in the notebook's namespace or in `file`; `library::name` is what a CUDA file
    registers with PyTorch, which is then called without any Python of the learner's."""

    file: str | None = None
    """A source file beside the notebook, loaded in a worker process of its own; None means that the
    notebook's kernel itself is the worker."""

    style: Style = "return"
    """How results come back. "return": one tensor, copied by the worker into the judge's buffer.
    "destination": the last argument is the judge's output tensor. "json": plain data."""

    framework: Framework = "torch"
    """What the tensors are in the worker. "jax": numpy arrays in the host's memory, jax.Arrays in a
    GPU's, where results are returned, since nothing writes to a jax.Array."""

    operator: bool = False
    """The file builds an operator in CUDA C++, with the simulator where there is no GPU."""

    launched_by: Path | None = None
    """For a CUDA file, a CUDA file of ours that launches the kernel called `name` on a GPU."""
