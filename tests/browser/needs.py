"""What a browser's tests need on the machine; where it is missing they say what fixes it."""

import importlib.util
import shutil
from collections.abc import Sequence

import pytest

WINDOW = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.timeout(900),
    # What selenium leaves for Python to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
"""Marks of a test in a window over a server."""

PROGRAMS = {"chromium": "chromium", "chromedriver": "chromium-driver", "bwrap": "bubblewrap"}
"""The Debian package that brings each."""
GROUPS = {
    "selenium": "browser",
    "nbgrader": "course",
    "jupyterlab": "course",
    "fastapi": "takehome",
    "mkdocs": "site",
    "nbconvert": "site",
}
"""Hotloop's optional group that brings each package."""


def require(programs: Sequence[str], packages: Sequence[str]) -> None:
    """Skip the test, with the remedy, where one of them is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing: sudo apt-get install {PROGRAMS[program]}")
    for name in packages:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is missing: pip install 'hotloop[{GROUPS[name]}]'")
