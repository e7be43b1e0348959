"""The database itself refuses to change or delete what was stored.

Rows may only be deleted by a transaction that has named their student in `hotloop_forgetting`, and
that takes the name out again before it ends: `Store.forget` does. It is a guard against accidents
and against tools that write to the gradebook; whoever owns the database can take it away.
"""

from __future__ import annotations

from alembic import op

revision = "hotloop_2"
down_revision = "hotloop_1"
branch_labels = None
depends_on = None

OF_A_PERSON = ("hotloop_attempts", "hotloop_events")
TABLES = (*OF_A_PERSON, "hotloop_environments")
UNIQUE = {
    "hotloop_attempts": "id = NEW.id OR (student = NEW.student AND module = NEW.module "
    "AND submission_digest = NEW.submission_digest AND grader_digest = NEW.grader_digest "
    "AND environment = NEW.environment AND seed = NEW.seed)",
    "hotloop_events": "id = NEW.id",
    "hotloop_environments": "digest = NEW.digest",
}


def upgrade() -> None:
    """Make the triggers."""
    op.execute("CREATE TABLE hotloop_forgetting (student VARCHAR NOT NULL PRIMARY KEY)")
    if op.get_bind().dialect.name == "postgresql":
        _postgresql()
    else:
        _sqlite()


def _sqlite() -> None:
    for table in TABLES:
        op.execute(
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN "
            f"SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
        named = (
            "WHEN NOT EXISTS (SELECT 1 FROM hotloop_forgetting WHERE student = OLD.student) "
            if table in OF_A_PERSON
            else ""
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {named}BEGIN "
            f"SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
        # SQLite's INSERT OR REPLACE deletes a row without asking the trigger above.
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {UNIQUE[table]}) BEGIN "
            f"SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _postgresql() -> None:
    op.execute(
        "CREATE FUNCTION hotloop_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    op.execute(
        "CREATE FUNCTION hotloop_only_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM hotloop_forgetting WHERE student = OLD.student) THEN "
        "RETURN OLD; END IF; "
        "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in TABLES:
        guard = "hotloop_only_to_forget" if table in OF_A_PERSON else "hotloop_append_only"
        op.execute(
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION hotloop_append_only()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {guard}()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION hotloop_append_only()"
        )
