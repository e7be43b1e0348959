"""A line under a running cell that says what the judge is doing, and goes when it is done.

It is a display that is updated in place. Nothing is printed: what a cell writes to standard error
counts as its failure with nbgrader, and lines on standard output would stay in the notebook.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from html import escape
from typing import Any, cast


@contextmanager
def progress_line(task: str, before_s: float = 0.0) -> Generator[Callable[[str], None]]:
    """Gives a function that shows a text; it does nothing where no notebook listens.

    before_s: how long it took the last time; 0 where that is not known.
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
        said = f"Judging {self._task}{f': {text}' if text else ''} … ({elapsed})"
        data = {"text/plain": said, "text/html": f"<em style='opacity:.7'>{escape(said)}</em>"}
        if self._handle is None:
            from IPython import display

            self._handle = cast(Any, display).display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def vanish(self) -> None:
        """An output without data takes no room, on the screen and in a saved notebook."""
        if self._handle is not None:
            self._handle.update({}, raw=True)


def _in_notebook() -> bool:
    """True in a kernel; IPython at a terminal would print each update on a line of its own."""
    ipython = sys.modules.get("IPython")
    shell = cast(Any, ipython).get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None
