"""Where a learner's own records are: on their machine, in the user's folder for data."""

import os
from pathlib import Path


def folder() -> Path:
    """`$XDG_DATA_HOME/hotloop`, by default ~/.local/share/hotloop. It may not be there yet."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The specification wants relative paths to be ignored.
    base = given if given.is_absolute() else Path.home() / ".local" / "share"
    return base / "hotloop"
