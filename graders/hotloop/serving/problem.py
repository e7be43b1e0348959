"""What is wrong with a repository, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """file: from the repository's root. line, column: from 1; both 0 where a whole file, or folder,
    is meant. text: what is wrong and, where that can be said, what would be right."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{where}: {self.text}"
