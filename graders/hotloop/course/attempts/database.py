"""Which database a course's gradebook is in: what the course's own settings say."""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from traitlets.config.loader import PyFileConfigLoader

CONFIG_FILE = "nbgrader_config.py"


def database(root: Path) -> str:
    """URL of the gradebook of the course at `root`: `c.CourseDirectory.db_url`, else a SQLite file.

    The settings are read again only when their file was changed. What they take from elsewhere,
    such as an environment variable, is therefore read once a process.
    """
    root = root.resolve()
    try:
        status = (root / CONFIG_FILE).stat()
    except FileNotFoundError:
        return default_database(root)
    return _configured(root, status.st_mtime_ns, status.st_size, status.st_ino)


def default_database(root: Path) -> str:
    """The file that is used where the settings name no database."""
    return f"sqlite:///{root.resolve() / 'gradebook.db'}"


@lru_cache(maxsize=64)
def _configured(root: Path, _mtime_ns: int, _size: int, _inode: int) -> str:
    config = cast(Any, PyFileConfigLoader)(CONFIG_FILE, path=str(root)).load_config()
    return str(config.CourseDirectory.get("db_url", "") or default_database(root))
