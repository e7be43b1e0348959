"""Checks that the notebook's file has the cells run in this kernel: a remote judge reads it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

from hotloop.core.user_error import UserError

_seen = 0
"""How many of the kernel's executions have been compared with the file."""


def require_saved(notebook: Path) -> None:
    """Raise UserError if a cell that was run since the last call is not in the saved file.

    Each execution is compared once: a cell that was run and then edited is in no file, and must not
    cause a second refusal.
    """
    global _seen
    run, _seen = _run()[_seen:], len(_run())
    document = json.loads(notebook.read_text(encoding="utf-8"))
    saved = {"".join(cell["source"]).strip() for cell in document["cells"]}
    if any(text.strip() and text.strip() not in saved for text in run):
        raise UserError(
            "Save the notebook (Ctrl+S) and run this cell again: the file is judged, and "
            f"you have run cells that {notebook.name} does not have."
        )


def _run() -> list[str]:
    """Return the sources that this kernel has run, in order; empty outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = cast(Any, ipython).get_ipython() if ipython is not None else None
    return [] if shell is None else list(shell.history_manager.input_hist_raw)
