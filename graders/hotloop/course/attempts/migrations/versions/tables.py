"""Attempts, events and environments.

Written out, and not taken from `tables`: what a revision makes does not change with the code.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "hotloop_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "hotloop_attempts",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("student", sa.String, nullable=False),
        sa.Column("module", sa.String, nullable=False),
        sa.Column("submission_digest", sa.String, nullable=False),
        sa.Column("grader_digest", sa.String, nullable=False),
        sa.Column("environment", sa.String, nullable=False),
        sa.Column("seed", sa.String, nullable=False),
        sa.Column("graded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("isolation", sa.String, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint(
            "student",
            "module",
            "submission_digest",
            "grader_digest",
            "environment",
            "seed",
            name="hotloop_attempts_key",
        ),
        # No number is ever given twice, not even that of a row which was deleted.
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
    op.create_table(
        "hotloop_environments",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
    )
