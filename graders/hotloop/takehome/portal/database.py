"""The portal's database: a SQLite file in the team's folder, or PostgreSQL by its URL."""

from pathlib import Path

from sqlalchemy import Column, Engine, Index, Integer, String, Table, UniqueConstraint

from hotloop.service.web import database
from hotloop.service.web.accounts import accounts, sessions
from hotloop.service.web.database import Utc, metadata
from hotloop.service.web.queue import columns

FOLDER = "portal"
FILE = "portal.db"
FORMAT = 2

links = Table(
    "portal_links",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("pack", String(36), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("expires", Utc, nullable=False),
)

# Until it was a queue like the service's, it was `portal_gradings`; the grader fills it again.
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


def own_folder(team: Path) -> Path:
    """Return the portal's folder in the team's folder; create it if missing."""
    folder = team / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def connect(team: Path, url: str = "") -> Engine:
    """Open the portal's database and create missing tables. Raises DatabaseUnavailable."""
    tables = [accounts, sessions, links, gradings]
    return database.connect(url, own_folder(team) / FILE, "portal", FORMAT, tables)
