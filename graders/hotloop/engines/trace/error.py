"""The error for an unreadable trace file, with a remedy for the learner."""

from collections.abc import Callable
from pathlib import Path


class TraceError(Exception):
    """A trace that cannot be read: what is wrong with `path`, and how to fix it."""

    def __init__(self, path: str | Path, what: str, remedy: str) -> None:
        super().__init__(path, what, remedy)
        self.path = Path(path)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        name = "".join(c if c.isprintable() else "\ufffd" for c in str(self.path))
        return f"{name}: {self.what}. {self.remedy}"


Problem = Callable[[str, str], TraceError]
"""Creates the error for one file from what is wrong and the remedy."""
EXPORT_AGAIN = (
    "Export it again with `prof.export_chrome_trace(path)` after the `with profile(...)` block "
    "ended"
)
