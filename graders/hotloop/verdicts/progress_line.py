"""A line below a running cell that shows the judge's progress and disappears at the end.

It is a display that is updated in place. Nothing is printed: nbgrader treats text on standard error
as a failure of the cell, and lines on standard output would stay in the notebook.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from html import escape
from typing import Any, cast


@contextmanager
def progress_line(task: str, before_s: float = 0.0) -> Generator[Callable[[str], None]]:
    """Yield a function that shows a text; it does nothing outside of a notebook.

    before_s: duration of the previous judging in seconds; 0 if unknown.
    """
    if not _in_notebook():
        yield lambda _text: None
        return
    line = _Line(task, before_s)
    line.show("")
    try:
        yield line.show
    finally:
        line.vanish()


class _Line:
    def __init__(self, task: str, before_s: float) -> None:
        self._task = task
        self._started = time.monotonic()
        self._expected = f", {before_s:.0f} s the last time" if before_s else ""
        self._handle: Any = None

    def show(self, text: str) -> None:
        elapsed = f"{time.monotonic() - self._started:.0f} s{self._expected}"
        line = f"Judging {self._task}{f': {text}' if text else ''} … ({elapsed})"
        data = {"text/plain": line, "text/html": f"<em style='opacity:.7'>{escape(line)}</em>"}
        if self._handle is None:
            from IPython import display

            self._handle = cast(Any, display).display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def vanish(self) -> None:
        """Clear the display: an output without data takes no space, also in a saved notebook."""
        if self._handle is not None:
            self._handle.update({}, raw=True)


def _in_notebook() -> bool:
    """True in a kernel; IPython in a terminal would print each update on a new line."""
    ipython = sys.modules.get("IPython")
    shell = cast(Any, ipython).get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None
