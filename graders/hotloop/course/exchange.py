"""nbgrader's exchange: the folder through which a class gets exercises and hands in work."""

import os
import stat
from pathlib import Path
from typing import Any

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from traitlets.config import Config

FOR_ALL = 0o1777
"""Mode of an exchange: nbgrader requires that every account can write; only its owner can remove
what is there."""
LEARNERS_SETTINGS = "nbgrader_config.py"

_SETTINGS = '''\
"""nbgrader for the learners of this course: into /etc/jupyter, or into the folder of one's work."""
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = {course_id!r}
c.Exchange.root = {root!r}
c.Execute.timeout = {timeout_s}  # Validate: a check may measure for two minutes
c.ExchangeFactory.list = "hotloop.course.due_cell.DatedList"  # due dates in Assignment List
'''


def of_machine() -> Path | None:
    """Return the machine's exchange, in nbgrader's place, if this account can write to it."""
    folder = Path(str(Exchange.root.default_value))
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def settings() -> tuple[Path, str]:
    """Return the exchange and course id from the settings that nbgrader's commands read here."""
    app: Any = NbGrader()
    app.load_config_file()
    return of(app.config)


def of(config: Config) -> tuple[Path, str]:
    """Return the exchange and course id from a course's settings."""
    exchange: Any = Exchange(coursedir=CourseDirectory(config=config), config=config)
    return Path(exchange.root), str(exchange.coursedir.course_id)


def believes_names(config: Config) -> bool:
    """Return whether a course believes the name of what is in its exchange.

    That is a setting for hubs on which all learners have one account.
    """
    return not config.ExchangeCollect.get("check_owner", True)


def beside(root: Path) -> Path:
    """Return the place of a course's own exchange: beside its folder, which is closed to others."""
    root = root.resolve()
    return root.with_name(f"{root.name}-exchange")


def make(folder: Path) -> None:
    """Create an exchange unless it is there."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        # The umask restricts mkdir's mode.
        folder.chmod(FOR_ALL)


def closed(folder: Path) -> Path | None:
    """Return the folder that keeps other accounts out of an exchange; None if they can reach it."""
    folder = folder.resolve()
    if folder.stat().st_mode & stat.S_IRWXO != stat.S_IRWXO:
        return folder
    return next((p for p in folder.parents if not p.stat().st_mode & stat.S_IXOTH), None)


def write_learners_settings(config: Config, timeout_s: int) -> Path:
    """Write the learners' settings of nbgrader into a course's part of the exchange.

    timeout_s: of a cell under Validate. Raises OSError before anything was released.
    """
    root, course_id = of(config)
    path = root / course_id / LEARNERS_SETTINGS
    text = _SETTINGS.format(course_id=course_id, root=str(root), timeout_s=timeout_s)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
    return path
