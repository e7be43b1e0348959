"""Makes Hotloop's tables in a gradebook's database; nbgrader's tables are not changed.

Database triggers protect attempts and events from changes and deletion. Rows can only be deleted by
a transaction that inserts their student into `hotloop_forgetting`, and removes that row before it
ends, as `store.forget` does. This protects against accidents and against tools that write to the
gradebook, but not against the database's owner.
"""

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, inspect, text

from hotloop.core.transactions import reading, writing
from hotloop.course.attempts import tables
from hotloop.course.attempts.database_retry import StoreUnavailable

_UNIQUE = {
    "hotloop_attempts": "id = NEW.id OR (student = NEW.student AND module = NEW.module "
    "AND digest = NEW.digest AND grader = NEW.grader AND graded = NEW.graded)",
    "hotloop_events": "id = NEW.id",
}
"""Condition, by table, that a row exists which a new one would replace."""


def make_tables(engine: Engine) -> None:
    """Create what is missing. Safe to call concurrently.

    Raises StoreUnavailable if another version of Hotloop made the tables.
    """
    with reading(engine) as connection:
        if _are_made(connection):
            return
    with writing(engine) as connection:
        if _are_made(connection):
            return
        if not inspect(connection).get_table_names():
            _make_gradebook(connection)
        tables.METADATA.create_all(connection)
        is_postgresql = connection.dialect.name == "postgresql"
        for statement in _postgresql() if is_postgresql else _sqlite():
            connection.execute(text(statement))


def _are_made(connection: Connection) -> bool:
    """Return whether the tables exist. Raises StoreUnavailable if they have other columns."""
    inspector = inspect(connection)
    wanted = tables.METADATA.tables
    existing = {name for name in inspector.get_table_names() if name.startswith("hotloop_")}
    if not existing:
        return False
    columns = {name: {c["name"] for c in inspector.get_columns(name)} for name in sorted(existing)}
    if columns != {name: set(table.columns.keys()) for name, table in wanted.items()}:
        raise StoreUnavailable(
            "The gradebook's database was written by another version of Hotloop: install that one "
            f"(`pip install hotloop==VERSION`), or begin a new course. Its tables are "
            f"{', '.join(columns)}."
        )
    return True


def _make_gradebook(connection: Connection) -> None:
    """Create nbgrader's tables in an empty database.

    If Hotloop's were the only ones, nbgrader would take the database for an existing gradebook and
    never record its migrations.
    """
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    Base.metadata.create_all(bind=connection)
    script = ScriptDirectory(ALEMBIC_DIR)
    MigrationContext.configure(connection).stamp(script, "head")


def _sqlite() -> Iterator[str]:
    for table, same in _UNIQUE.items():
        refused = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        yield f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refused}"
        yield (
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN NOT EXISTS "
            f"(SELECT 1 FROM hotloop_forgetting WHERE student = OLD.student) {refused}"
        )
        # SQLite's INSERT OR REPLACE deletes a row without running the trigger above.
        yield (
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {refused}"
        )


def _postgresql() -> Iterator[str]:
    yield (
        "CREATE FUNCTION hotloop_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    yield (
        "CREATE FUNCTION hotloop_only_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM hotloop_forgetting WHERE student = OLD.student) THEN "
        "RETURN OLD; END IF; "
        "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in _UNIQUE:
        for name, when, each, function in (
            ("update", "UPDATE", "ROW", "hotloop_append_only"),
            ("delete", "DELETE", "ROW", "hotloop_only_to_forget"),
            ("truncate", "TRUNCATE", "STATEMENT", "hotloop_append_only"),
        ):
            yield (
                f"CREATE TRIGGER {table}_no_{name} BEFORE {when} ON {table} "
                f"FOR EACH {each} EXECUTE FUNCTION {function}()"
            )
