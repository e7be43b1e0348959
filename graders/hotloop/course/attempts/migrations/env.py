"""Alembic runs this for each upgrade, with the given connection and transaction.

nbgrader keeps its own migrations in the same database, so Hotloop's version table has another name.
"""

from alembic import context

from hotloop.course.attempts.migration import VERSIONS

context.configure(connection=context.config.attributes["connection"], version_table=VERSIONS)
with context.begin_transaction():
    context.run_migrations()
