"""Opens nbgrader's formgrader on a course."""

from __future__ import annotations

import sys
from pathlib import Path

PAGE = "/formgrader"


def command(root: Path) -> list[str]:
    """What to run, with `root` as working directory: formgrader reads the course's settings there.

    The server's own folder is the course, because formgrader shows nothing outside of it.
    """
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={root.resolve()}",
        f"--LabApp.default_url={PAGE}",
    ]
