"""Small systematic changes to code (mutants), one at a time.

    python_code  mistakes in Python and Triton, by syntax tree
    c_code       the same mistakes in CUDA C++ and C++, by patterns
    kernels      changes to kernels that may or may not matter: a barrier moved, a smaller block,
                 a load moved into a loop

tests/benchmarks/mutants.py applies the mistakes to the reference solutions: each must fail a check.
`hotloop.learn.predicting` asks a learner what both kinds would do to the learner's own code.

The operators follow DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (Computer 11(4),
1978), and Offutt et al., "An Experimental Determination of Sufficient Mutant Operators" (TOSEM
5(2), 1996), plus those that kernels need: parts of reductions, blocks, rescaling, types, strides.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """One change: the characters [start, end) of the text become `text`."""

    operator: str
    start: int
    end: int
    text: str

    def made_in(self, text: str) -> str:
        """Return `text` with this change applied."""
        return text[: self.start] + self.text + text[self.end :]
