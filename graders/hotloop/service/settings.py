"""Settings of the service: of both its parts, judging for a class and take-homes of a team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from hotloop.learn.pack import limits

FORM_BYTES = 256 << 10
"""Most bytes of a form without a file: a scorecard's remarks are the longest."""

FIELDS = 300
FIELD_BYTES = 16 << 10

UPLOAD_BYTES = limits.MAX_UPLOAD + (64 << 10)
"""Bytes of a candidate's submission with its form."""

PartName = Literal["course", "takehome"]


@dataclass(frozen=True)
class Rates:
    """Rate limits, in the notation of the library `limits`.

    page: all requests, per address; a class may share one. unknown: invalid tokens, invitations and
    links, per address.

    Of a class: put: jobs and hand-ins, per person. stream: new streams and single looks at a job,
    per person.

    Of a team: login: attempts per address. name: attempts per address and account. account:
    attempts on one account from everywhere; higher, since anybody who knows a name could lock its
    member out. upload: per candidate's link.
    """

    page: str = "6000/minute"
    unknown: str = "30/10 minutes"
    put: str = "60/10 minutes"
    stream: str = "120/10 minutes"
    login: str = "30/15 minutes"
    name: str = "10/15 minutes"
    account: str = "100/15 minutes"
    upload: str = "20/hour"


WITHOUT_CLASS = Rates(page="600/minute", unknown="20/10 minutes")
"""Where no class shares an address."""


@dataclass(frozen=True)
class ServiceSettings:
    """Settings of the service. parts: what is served; a school or a company has one of them.

    base_url: scheme and host by which people reach it. database: an SQLAlchemy URL; "" for a file.
    form_s, upload_s: seconds until a request's body must be complete. upload_rate: bytes per second
    that an upload must average. stall_s: seconds that any upload may take, and longest pause in
    one. least_free: bytes that must be free on a disk for an upload to be taken: more than all that
    come in at once.

    Of a class: folder: its data. course: nbgrader course for hand-ins; None for none. ray: address
    of the cluster that judges; empty for this machine. uploads: most at once, held in memory.
    streams_each, streams: most streams at once, of one person and of all people; the rest of
    `MOST_CONNECTIONS` is for requests.

    Of a team: team: its folder. submissions: most uploads at once. late_s: seconds after the
    deadline until an upload must be complete.
    """

    parts: Sequence[PartName] = ("course",)
    base_url: str = "http://127.0.0.1:8000"
    database: str = ""
    form_s: float = 15.0
    upload_s: float = 300.0
    upload_rate: float = 16 << 10
    stall_s: float = 15.0
    least_free: int = 1 << 30
    rates: Rates = field(default_factory=Rates)
    folder: Path = Path("hotloop-service")
    course: Path | None = None
    ray: str = ""
    uploads: int = 40
    streams_each: int = 6
    streams: int = 400
    team: Path = Path()
    submissions: int = 100
    late_s: float = 60.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError(
                f"{self.base_url!r} is not of the form https://host, or http://host:port"
            )

    @property
    def data(self) -> Path:
        """The folder of the database, unless that has a URL: the class's, or within the team's."""
        return self.folder if "course" in self.parts else own_folder(self.team)

    @property
    def secure(self) -> bool:
        """True if people use HTTPS, so that cookies are sent by HTTPS only."""
        return self.base_url.startswith("https:")

    @property
    def host(self) -> str:
        """The host name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def origin(self) -> str:
        """The origin, as browsers send it in the header Origin."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"


def own_folder(team: Path) -> Path:
    """Return the service's folder in a team's folder; create it if missing."""
    folder = team / "portal"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
