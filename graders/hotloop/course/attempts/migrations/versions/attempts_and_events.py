"""Attempts and events, which database triggers protect from changes and deletion.

Columns are listed here and not taken from `tables`, since a revision must not change with the code.

Rows can only be deleted by a transaction that inserts their student into `hotloop_forgetting`, and
removes that row before it ends, as `store.forget` does. This protects against accidents and against
tools that write to the gradebook, but not against the database's owner.
"""

import sqlalchemy as sa
from alembic import op

revision = "hotloop_1"
down_revision = None
branch_labels = None
depends_on = None

TABLES = ("hotloop_attempts", "hotloop_events")
UNIQUE = {
    "hotloop_attempts": "id = NEW.id OR (student = NEW.student AND module = NEW.module "
    "AND digest = NEW.digest AND grader = NEW.grader AND graded = NEW.graded)",
    "hotloop_events": "id = NEW.id",
}


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "hotloop_attempts",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("student", sa.String, nullable=False),
        sa.Column("module", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("grader", sa.String, nullable=False),
        sa.Column("graded", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint(
            "student", "module", "digest", "grader", "graded", name="hotloop_attempts_key"
        ),
        # Never reuse the id of a deleted row.
        sqlite_autoincrement=True,
    )
    op.create_table(
        "hotloop_events",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("student", sa.String, nullable=False),
        sa.Column("module", sa.String, nullable=False),
        sa.Column(
            "attempt_id",
            sa.Integer,
            sa.ForeignKey("hotloop_attempts.id", name="hotloop_events_attempt"),
        ),
        sa.Column("batch", sa.String, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("old_points", sa.Float),
        sa.Column("new_points", sa.Float),
        sa.Column("old_pending", sa.Float),
        sa.Column("new_pending", sa.Float),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "hotloop_events_submission", "hotloop_events", ["student", "module", "kind", "id"]
    )
    op.create_index("hotloop_events_attempt", "hotloop_events", ["attempt_id"])
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
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            "WHEN NOT EXISTS (SELECT 1 FROM hotloop_forgetting WHERE student = OLD.student) BEGIN "
            f"SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
        # SQLite's INSERT OR REPLACE deletes a row without running the trigger above.
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
        op.execute(
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION hotloop_append_only()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION hotloop_only_to_forget()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION hotloop_append_only()"
        )
