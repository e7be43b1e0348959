"""Finds the database of a course's gradebook from the course's settings."""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from traitlets.config.loader import PyFileConfigLoader

CONFIG_FILE = "nbgrader_config.py"


def database(root: Path) -> str:
    """Return the database URL of the course at `root`: `c.CourseDirectory.db_url` or a SQLite file.

    The settings are read again only if their file has changed, so values from elsewhere, such as
    environment variables, are read once per process.
    """
    root = root.resolve()
    try:
        status = (root / CONFIG_FILE).stat()
    except FileNotFoundError:
        return default_database(root)
    return _configured(root, status.st_mtime_ns, status.st_size, status.st_ino)


def default_database(root: Path) -> str:
    """Return the default database, for settings that name none."""
    return f"sqlite:///{root.resolve() / 'gradebook.db'}"


@lru_cache(maxsize=64)
def _configured(root: Path, _mtime_ns: int, _size: int, _inode: int) -> str:
    config = cast(Any, PyFileConfigLoader)(CONFIG_FILE, path=str(root)).load_config()
    return str(config.CourseDirectory.get("db_url", "") or default_database(root))
