"""nbgrader's exchange: the folder through which a class hands exercises out and work in."""

import os
from pathlib import Path
from typing import Any

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from traitlets.config import Config

FOLDER = "exchange"
FOR_ALL = 0o777
"""What nbgrader asks of an exchange: every account of the machine may put something into it."""


def set_up(c: Config, root: Path) -> None:
    """A folder of the course's own, where the machine has no exchange that all can write."""
    if not os.access(Exchange.root.default_value, os.W_OK | os.X_OK):
        c.Exchange.root = str(own(root))


def settings() -> tuple[Path, str]:
    """The exchange and the course's name, by the settings that nbgrader's commands read here."""
    app: Any = NbGrader()
    app.load_config_file()
    return of(app.config)


def of(config: Config) -> tuple[Path, str]:
    """The exchange and the course's name, by a course's settings."""
    found: Any = Exchange(coursedir=CourseDirectory(config=config), config=config)
    return Path(found.root), str(found.coursedir.course_id)


def own(root: Path) -> Path:
    """The course's own exchange, made if it is not there."""
    folder = root / FOLDER
    if not folder.is_dir():
        folder.mkdir(parents=True)
        # mkdir's mode is cut by the umask.
        folder.chmod(FOR_ALL)
    return folder
