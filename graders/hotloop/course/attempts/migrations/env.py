"""Alembic runs this for each upgrade, over the connection and in the transaction that it is given.

nbgrader keeps its own migrations in the same database: the table of ours has another name.
"""

from alembic import context

from hotloop.course.attempts.migration import VERSIONS

context.configure(connection=context.config.attributes["connection"], version_table=VERSIONS)
with context.begin_transaction():
    context.run_migrations()
