"""What the commands on a course share: its folder."""

from __future__ import annotations

from pathlib import Path

from hotloop.cli.answer import UserError, require


def require_course(folder: Path) -> None:
    """UserError when packages for courses are missing, or the folder holds no course."""
    require("course")
    from hotloop.course.config import CONFIG_FILE

    if not (folder / CONFIG_FILE).is_file():
        raise UserError(
            f"There is no course in {folder.resolve()}: make one with `hotloop course new MODULE`."
        )
