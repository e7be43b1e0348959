"""The service's database: a SQLite file in its folder, or PostgreSQL by its URL."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Engine,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from hotloop.web.accounts import accounts, sessions
from hotloop.web.database import Utc, connect, metadata

FILE = "service.db"
FORMAT = 1


class Work(StrEnum):
    """Where one phase of a job is. LOST: given up after several tries. DROPPED: nobody wants it."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"
    DROPPED = "dropped"


def _owner() -> Column[int]:
    """Whose it is; it goes with the account."""
    key = ForeignKey("accounts.id", ondelete="CASCADE")
    return Column("account", Integer, key, nullable=False, index=True)


tokens = Table(
    "service_tokens",
    metadata,
    # SHA-256, as of invitations: who reads the table can ask for nothing.
    Column("digest", String(64), primary_key=True),
    _owner(),
    Column("made", Utc, nullable=False),
    Column("seen", Utc, nullable=False),
)

invitations = Table(
    "service_invitations",
    metadata,
    Column("digest", String(64), primary_key=True),
    _owner(),
    Column("expires", Utc, nullable=False),
    Column("used", Utc),
)

jobs = Table(
    "service_jobs",
    metadata,
    Column("id", String(36), primary_key=True),
    _owner(),
    # The client's: the same request, sent twice, is one job.
    Column("key", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("module", String(60), nullable=False),
    # JSON.
    Column("tasks", Text, nullable=False),
    # The document with the files; empty once the job has ended.
    Column("request", Text, nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("submitted", Utc, nullable=False),
    Column("place", Utc, nullable=False),
    Column("deadline", Utc),
    Column("ended", Utc),
    # With a seed of the learner's choice.
    Column("seeded", Boolean, nullable=False),
    UniqueConstraint("account", "key"),
)

works = Table(
    "service_works",
    metadata,
    Column("id", Integer, primary_key=True),
    Column(
        "job",
        String(36),
        ForeignKey("service_jobs.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    _owner(),
    Column("phase", String(3), nullable=False),
    Column("state", String(10), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("queued", Utc, nullable=False),
    Column("worker", String(60), nullable=False),
    Column("began", Utc),
    Column("beat", Utc),
    Column("ended", Utc),
    Column("said", String(200), nullable=False),
    Column("problem", Text, nullable=False),
    Index("service_works_queue", "phase", "state"),
)

records = Table(
    "service_records",
    metadata,
    Column("job", String(36), ForeignKey("service_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("task", String(60), primary_key=True),
    Column("record", Text, nullable=False),
)

hand_ins = Table(
    "service_hand_ins",
    metadata,
    Column("id", Integer, primary_key=True),
    _owner(),
    Column("key", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("module", String(60), nullable=False),
    # JSON: names of its notebooks, without the ending; feedback is named after them.
    Column("notebooks", Text, nullable=False),
    # The document with the files; empty once they lie in the exchange.
    Column("document", Text, nullable=False),
    Column("folder", String(250), nullable=False),
    # What nbgrader hides released feedback behind.
    Column("secret", String(128), nullable=False),
    Column("at", Utc, nullable=False),
    UniqueConstraint("account", "key"),
)

shown = Table(
    "service_board",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(30), nullable=False, unique=True),
)

workers = Table(
    "service_workers",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("phase", String(3), nullable=False),
    Column("host", String(100), nullable=False),
    Column("beat", Utc, nullable=False),
)

lti_logins = Table(
    "service_lti_logins",
    metadata,
    # SHA-256 of what the browser brings back.
    Column("state", String(64), primary_key=True),
    Column("nonce", String(64), nullable=False),
    Column("issuer", String(255), nullable=False),
    Column("client_id", String(255), nullable=False),
    Column("expires", Utc, nullable=False),
)

lti_users = Table(
    "service_lti_users",
    metadata,
    # Who somebody is at an LMS: a name or an address may change hands.
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    _owner(),
)

lti_items = Table(
    "service_lti_items",
    metadata,
    Column("id", Integer, primary_key=True),
    _owner(),
    Column("module", String(60), nullable=False),
    Column("issuer", String(255), nullable=False),
    Column("client_id", String(255), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("lineitem", Text, nullable=False),
    # The end of the latest job whose score the LMS has taken.
    Column("passed", Utc),
    # When a server began to send it, until it was taken.
    Column("tried", Utc),
    Column("problem", Text, nullable=False),
)

TABLES = [
    accounts,
    sessions,
    tokens,
    invitations,
    jobs,
    works,
    records,
    hand_ins,
    shown,
    workers,
    lti_logins,
    lti_users,
    lti_items,
]


def opened(folder: Path, url: str = "") -> Engine:
    """The service's database, with its tables. DatabaseUnavailable says what is in the way."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Submissions are nobody else's business, also where the folder was there before.
    folder.chmod(0o700)
    return connect(url, folder / FILE, "service", FORMAT, TABLES)
