"""nbgrader's exchange: the folder through which a class gets exercises and hands in work."""

import os
from pathlib import Path
from typing import Any

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from traitlets.config import Config

FOLDER = "exchange"
FOR_ALL = 0o777
"""Mode that nbgrader requires of an exchange: every account can write."""


def set_up(c: Config, root: Path) -> None:
    """Use a folder of the course if the machine has no writable exchange."""
    if not os.access(Exchange.root.default_value, os.W_OK | os.X_OK):
        c.Exchange.root = str(own(root))


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


def own(root: Path) -> Path:
    """Return the course's own exchange; create it if missing."""
    folder = root / FOLDER
    if not folder.is_dir():
        folder.mkdir(parents=True)
        # The umask restricts mkdir's mode.
        folder.chmod(FOR_ALL)
    return folder
