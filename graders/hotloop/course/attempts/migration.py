"""Brings our tables in a gradebook's database up to date; nbgrader's own are left as they are."""

import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, inspect

from hotloop.course.attempts.connection import writing
from hotloop.course.attempts.patience import StoreUnavailable
from hotloop.transactions import reading

VERSIONS = "hotloop_alembic_version"
"""The table that says which of our migrations were made. nbgrader's own is another."""

_SCRIPTS = Path(__file__).parent / "migrations"
_one_at_a_time = threading.Lock()
"""Alembic keeps what it is doing in the module, for the whole process."""


def bring_up_to_date(engine: Engine) -> None:
    """Make the migrations that are still to be made. Safe to be called by several at once."""
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
    """The revisions that the database is at; none where we never were."""
    if not inspect(connection).has_table(VERSIONS):
        return ()
    context = MigrationContext.configure(connection, opts={"version_table": VERSIONS})
    return context.get_current_heads()


def _heads() -> tuple[str, ...]:
    return tuple(ScriptDirectory.from_config(_config()).get_heads())


def _config() -> Config:
    config = Config()
    # What stands in it goes through a formatter that has a use for percent signs.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _make_gradebook(connection: Connection) -> None:
    """Make nbgrader's tables in an empty database.

    Were ours the first, nbgrader would find tables and take them for a gradebook of its own, and
    never write down which of its migrations the gradebook has.
    """
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    Base.metadata.create_all(bind=connection)
    script = ScriptDirectory(ALEMBIC_DIR)
    MigrationContext.configure(connection).stamp(script, "head")
