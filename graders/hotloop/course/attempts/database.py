"""Settings of a course that are read often: the gradebook's database, and the zone of its times."""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from traitlets.config.loader import Config, PyFileConfigLoader

CONFIG_FILE = "nbgrader_config.py"


def database(root: Path) -> str:
    """Return the database URL of the course at `root`: `c.CourseDirectory.db_url` or a SQLite file.

    The settings are read again only if their file has changed, so values from elsewhere, such as
    environment variables, are read once per process.
    """
    url = _settings(root).CourseDirectory.get("db_url", "")
    return str(url or default_database(root))


def zone(root: Path) -> str:
    """Return the time zone in which nbgrader records hand-ins: `c.Exchange.timezone`, or UTC."""
    return str(_settings(root).Exchange.get("timezone", "") or "UTC")


def default_database(root: Path) -> str:
    """Return the default database, for settings that name none."""
    return f"sqlite:///{root.resolve() / 'gradebook.db'}"


def _settings(root: Path) -> Any:
    root = root.resolve()
    try:
        status = (root / CONFIG_FILE).stat()
    except FileNotFoundError:
        return Config()
    return _configured(root, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=64)
def _configured(root: Path, _mtime_ns: int, _size: int, _inode: int) -> Any:
    return cast(Any, PyFileConfigLoader)(CONFIG_FILE, path=str(root)).load_config()
