"""An input of a kernel, and what it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """Main memory before a run, and the words that must be in it afterwards, from `output_at` on.

    steps, turns: how much the items take of a kernel whose work depends on the data, for its bound.
    """

    memory: list[int]
    output: list[int]
    output_at: int
    steps: int = 0
    turns: int = 0

    @property
    def writable(self) -> range:
        """The words of main memory that the program may write."""
        return range(self.output_at, self.output_at + len(self.output))

    def mismatch(self, memory: Sequence[int]) -> str | None:
        """Return what is wrong in main memory after a run, or None."""
        got = memory[self.output_at : self.output_at + len(self.output)]
        wrong = [i for i, (a, b) in enumerate(zip(got, self.output, strict=True)) if a != b]
        if not wrong:
            return None
        i = wrong[0]
        return (
            f"{len(wrong)} of {len(self.output)} results are wrong; "
            f"result {i}: got {got[i]}, expected {self.output[i]}"
        )
