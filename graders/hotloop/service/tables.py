"""The service's database: a SQLite file in its folder, or PostgreSQL by its URL.

Both parts have their tables in it, and share accounts and sessions.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import (
    Column,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from hotloop.service.web.accounts import accounts, owner, sessions
from hotloop.service.web.database import Utc, connect, metadata
from hotloop.service.web.queue import columns

FILE = "service.db"
FORMAT = 4
LONGEST_EMAIL = 254
LONGEST_NAME = 100


tokens = Table(
    "service_tokens",
    metadata,
    # SHA-256, here and in invitations: a reader of the table cannot use the tokens.
    Column("digest", String(64), primary_key=True),
    owner(),
    Column("made", Utc, nullable=False),
    Column("seen", Utc, nullable=False),
)

invitations = Table(
    "service_invitations",
    metadata,
    Column("digest", String(64), primary_key=True),
    owner(),
    Column("expires", Utc, nullable=False),
    Column("used", Utc),
)

jobs = Table(
    "service_jobs",
    metadata,
    Column("id", String(36), primary_key=True),
    owner(),
    # The client's idempotency key: the same request, sent twice, is one job.
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
    # Digest of the variant that the course gave, or empty: only records with the same one count.
    Column("variant", String(64), nullable=False),
    UniqueConstraint("account", "key"),
)

# One work for each phase of a job.
works = Table(
    "service_works",
    metadata,
    *columns(),
    Column(
        "job",
        String(36),
        ForeignKey("service_jobs.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    owner(),
    Column("phase", String(3), nullable=False),
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
    owner(),
    Column("key", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("module", String(60), nullable=False),
    # JSON: names of its notebooks without the suffix; feedback is named after them.
    Column("notebooks", Text, nullable=False),
    # The document with the files; empty once they are in the exchange.
    Column("document", Text, nullable=False),
    Column("folder", String(250), nullable=False),
    # nbgrader derives the file names of released feedback from it.
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
    # SHA-256 of the state that the browser brings back.
    Column("state", String(64), primary_key=True),
    Column("nonce", String(64), nullable=False),
    Column("issuer", String(255), nullable=False),
    Column("client_id", String(255), nullable=False),
    Column("expires", Utc, nullable=False),
)

lti_users = Table(
    "service_lti_users",
    metadata,
    # An LMS's own id of a person: names and addresses may be reassigned.
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    owner(),
    # As the LMS says, which may be untrue: nothing is found by it.
    Column("first", String(LONGEST_NAME), nullable=False),
    Column("last", String(LONGEST_NAME), nullable=False),
    Column("email", String(LONGEST_EMAIL), nullable=False),
)

lti_items = Table(
    "service_lti_items",
    metadata,
    Column("id", Integer, primary_key=True),
    owner(),
    Column("module", String(60), nullable=False),
    Column("issuer", String(255), nullable=False),
    Column("client_id", String(255), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("lineitem", Text, nullable=False),
    # The end of the latest job whose score the LMS has accepted, and the share of the points that
    # it has; None if it has none.
    Column("passed", Utc),
    Column("share", Float),
    # The end of the latest job whose score it has refused for good.
    Column("refused", Utc),
    # When it was sent last, and before when it is not sent again; None: at once.
    Column("tried", Utc),
    Column("again", Utc),
    # How often in a row it was not accepted.
    Column("tries", Integer, nullable=False),
    Column("problem", Text, nullable=False),
)

links = Table(
    "portal_links",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("pack", String(36), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("expires", Utc, nullable=False),
)

gradings = Table(
    "portal_works",
    metadata,
    *columns(),
    Column("pack", String(36), nullable=False),
    # Digest of the submission.
    Column("digest", String(64), nullable=False),
    # How many reports were written on it.
    Column("graded", Integer, nullable=False),
    UniqueConstraint("pack", "digest"),
    Index("portal_works_queue", "state"),
)

# Who a member of a team is at the provider of the single sign-on.
identities = Table(
    "portal_identities",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    # The provider's own id; None before the first login.
    Column("subject", String(255), unique=True),
    Column("email", String(LONGEST_EMAIL), unique=True),
)

ats_candidates = Table(
    "portal_ats_candidates",
    metadata,
    # What an ATS calls the candidate. It is neither pack nor pseudonym, since an ATS has the name.
    Column("id", String(64), primary_key=True),
    Column("pack", String(36), nullable=False, unique=True),
    # SHA-256 of the role and the ATS's id of the application: asked for twice it is one candidate.
    Column("key", String(64), nullable=False, unique=True),
    Column("external", Text, nullable=False),
    # Where Greenhouse wants to hear that the result is there; empty for others.
    Column("callback", Text, nullable=False),
)

ats_deliveries = Table(
    "portal_ats_deliveries",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("pack", String(36), nullable=False, index=True),
    Column("event", String(120), nullable=False),
    Column("target", String(20), nullable=False),
    # Empty once it was delivered: it can hold a link.
    Column("body", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    # Not before this time; None if it was delivered, or given up.
    Column("due", Utc),
    Column("problem", Text, nullable=False),
    UniqueConstraint("pack", "event", "target"),
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
    links,
    gradings,
    identities,
    ats_candidates,
    ats_deliveries,
]


def opened(folder: Path, url: str = "") -> Engine:
    """Open the service's database and create its tables. Raises DatabaseUnavailable."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Submissions are private, also if the folder existed before.
    folder.chmod(0o700)
    return connect(url, folder / FILE, "service", FORMAT, TABLES)
