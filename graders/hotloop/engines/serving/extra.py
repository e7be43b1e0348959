"""The optional dependencies that Hotloop needs to check repositories."""

import sys

NAME = "serving"


def remedy() -> str:
    """Return the command that installs them."""
    return f"{sys.executable} -m pip install 'hotloop[{NAME}]'"
