"""What Hotloop's own environment needs to look at repositories."""

import sys

NAME = "serving"


def remedy() -> str:
    """The command that installs it."""
    return f"{sys.executable} -m pip install 'hotloop[{NAME}]'"
