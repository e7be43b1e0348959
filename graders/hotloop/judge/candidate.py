"""The judged function: in the notebook, or in a file beside it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Style = Literal["return", "destination", "json"]
Framework = Literal["torch", "numpy", "jax"]
Kind = Literal["json", "return", "destination", "operator", "cuda", "simulated"]
"""What a task's candidate is: a function, by its `Style`; an operator; a CUDA kernel with a file
that launches it on a GPU; a CUDA kernel that only the simulator runs."""

ANY_KIND: frozenset[Kind] = frozenset(get_args(Kind))
OF_DATA: frozenset[Kind] = frozenset({"json"})
OF_TENSORS: frozenset[Kind] = frozenset({"return", "destination"})
CALLED_WITH_TENSORS: frozenset[Kind] = frozenset({*OF_TENSORS, "operator"})
ON_GPU: frozenset[Kind] = frozenset({*CALLED_WITH_TENSORS, "cuda"})
CUDA: frozenset[Kind] = frozenset({"cuda", "simulated"})


@dataclass(frozen=True)
class Candidate:
    """The code that is judged, and how to call it."""

    name: str
    """A callable in the notebook's namespace or in `file`. `library::name` is an operator that a
    CUDA file registers with PyTorch; it is called without any Python code of the learner."""

    file: str | None = None
    """A source file beside the notebook, loaded in its own worker process; None means that the
    notebook's kernel is the worker."""

    style: Style = "return"
    """How results come back. "return": one tensor, copied by the worker into the judge's buffer.
    "destination": the last argument is the judge's output tensor. "json": plain data."""

    framework: Framework = "torch"
    """Type of the tensors in the worker. "jax": numpy arrays on the CPU, jax.Arrays on a GPU. There
    the function must return its result, since a jax.Array cannot be written to."""

    operator: bool = False
    """True if the file builds an operator in CUDA C++; without a GPU, the simulator runs it."""

    launched_by: Path | None = None
    """For a CUDA file: CUDA file of the check that launches the kernel `name` on a GPU."""
