"""Migrates Hotloop's tables in a gradebook's database; nbgrader's tables are not changed."""

import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, inspect

from hotloop.course.attempts.patience import StoreUnavailable
from hotloop.transactions import reading, writing

VERSIONS = "hotloop_alembic_version"
"""The table with Hotloop's current migration; nbgrader has its own."""

_SCRIPTS = Path(__file__).parent / "migrations"
_one_at_a_time = threading.Lock()
"""Alembic keeps state in module globals."""


def bring_up_to_date(engine: Engine) -> None:
    """Apply missing migrations. Safe to call concurrently.

    Raises StoreUnavailable if a newer version of Hotloop wrote the database.
    """
    with reading(engine) as connection:
        if current(connection) == _heads():
            return
    with _one_at_a_time, writing(engine) as connection:
        if not inspect(connection).get_table_names():
            _make_gradebook(connection)
        config = _config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreUnavailable(
                "The gradebook's database was written by a newer version of Hotloop: install that "
                f"one. ({error})"
            ) from error


def current(connection: Connection) -> tuple[str, ...]:
    """Return the database's revisions; none if Hotloop has not used it yet."""
    if not inspect(connection).has_table(VERSIONS):
        return ()
    context = MigrationContext.configure(connection, opts={"version_table": VERSIONS})
    return context.get_current_heads()


def _heads() -> tuple[str, ...]:
    return tuple(ScriptDirectory.from_config(_config()).get_heads())


def _config() -> Config:
    config = Config()
    # The value goes through a formatter that interprets percent signs.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _make_gradebook(connection: Connection) -> None:
    """Create nbgrader's tables in an empty database.

    If Hotloop's were the only ones, nbgrader would take the database for an existing gradebook and
    never record its migrations.
    """
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    Base.metadata.create_all(bind=connection)
    script = ScriptDirectory(ALEMBIC_DIR)
    MigrationContext.configure(connection).stamp(script, "head")
