"""A progress line on standard error while the judge works, with the elapsed time."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def judging_line(before_s: float = 0.0) -> Generator[Callable[[str], None]]:
    """Yield a function that shows a text. before_s: seconds it took last time; 0 if unknown."""
    expected = f" ({before_s:.0f} s the last time)" if before_s else ""
    columns = (
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        line = progress.add_task(f"judging{expected}", total=None)
        yield lambda text: progress.update(line, description=f"{text}{expected}")
