"""A problem in a model repository."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class RepositoryProblem:
    """A problem and its position. file: relative to the repository.

    line, column: from 1; both 0 if the problem is the whole file or folder. text: what is wrong,
    and what would be right if known.
    """

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{where}: {self.text}"
