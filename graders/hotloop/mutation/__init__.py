"""Small systematic changes to code, one at a time.

    python_code  mistakes in Python and Triton, by the syntax tree
    c_code       the same mistakes in CUDA C++ and C++, by patterns
    kernels      changes to kernels that may or may not matter: a barrier moved, a smaller block,
                 a load taken into a loop

tests/benchmarks/mutants.py makes the mistakes in our references: each must fail a check. What
becomes of both in somebody's own code is asked by `hotloop.predicting`.

Operators follow DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (Computer 11(4), 1978),
and those of Offutt et al., "An Experimental Determination of Sufficient Mutant Operators" (TOSEM
5(2), 1996), with those that kernels need: parts of reductions, blocks, rescaling, types, strides.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """One change: characters start to end of the text become `text`."""

    operator: str
    start: int
    end: int
    text: str

    def made_in(self, text: str) -> str:
        """The changed text."""
        return text[: self.start] + self.text + text[self.end :]
