"""A progress line on standard error while the judge works, with the elapsed time.

Where standard error is no terminal, a text is a line of its own, at most one in LINE_S seconds, so
that a log shows what is worked on.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

LINE_S = 30.0


@dataclass
class JudgingLine:
    """The line that is shown. expected: behind each text."""

    progress: Progress
    task: TaskID
    expected: str
    _begin: float = field(init=False)
    _last: float = field(init=False)

    def __post_init__(self) -> None:
        self._begin = self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        """Show a text in place of the one before."""
        self.progress.update(self.task, description=f"{text}{self.expected}")
        now = time.monotonic()
        if not self.progress.console.is_terminal and now - self._last >= LINE_S:
            self._last = now
            self.print(f"{now - self._begin:.0f} s: {text}")

    def print(self, text: str) -> None:
        """Print a line that stays."""
        self.progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def judging_line(before_s: float = 0.0) -> Generator[JudgingLine]:
    """Yield a function that shows a text. before_s: seconds it took last time; 0 if unknown."""
    expected = f" ({before_s:.0f} s the last time)" if before_s else ""
    columns = (
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        line = progress.add_task(f"judging{expected}", total=None)
        yield JudgingLine(progress, line, expected)
