"""Small systematic mistakes in the reference solutions, for tests/benchmarks/mutants.py.

    python_code  mutation operators on Python and Triton, by the syntax tree
    c_code       the same mistakes in CUDA C++ and C++, by patterns
    answers      which mutants of a module are judged, and how each is handed in

Operators follow DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (Computer 11(4), 1978),
and those of Offutt et al., "An Experimental Determination of Sufficient Mutant Operators" (TOSEM
5(2), 1996), with those that kernels need: parts of reductions, blocks, rescaling, types, strides.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """One mistake: characters start to end of the text become `text`."""

    operator: str
    start: int
    end: int
    text: str
