"""Where a learner's own records are: in the user's data folder on the learner's machine."""

import os
from pathlib import Path

VARIABLE = "XDG_DATA_HOME"


def folder() -> Path:
    """Return `$XDG_DATA_HOME/hotloop`, by default ~/.local/share/hotloop. It may not exist yet."""
    configured = Path(os.environ.get(VARIABLE, ""))
    # The XDG specification says to ignore relative paths.
    base = configured if configured.is_absolute() else Path.home() / ".local" / "share"
    return base / "hotloop"
