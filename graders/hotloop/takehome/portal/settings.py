"""How a portal is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from hotloop.takehome import limits

FORM_BYTES = 256 << 10
"""Of a form without a file: a scorecard's remarks are the longest."""

FIELDS = 300
FIELD_BYTES = 16 << 10

UPLOAD_BYTES = limits.MAX_UPLOAD + (64 << 10)
"""Of a submission with the form around it."""


@dataclass(frozen=True)
class Rates:
    """How often something may be asked for, as the library `limits` writes it.

    login: by address. name: attempts on one account from one address. account: on one account from
    everywhere; higher, since whoever knows a name could keep its member out by it. unknown: links
    that do not exist, by address. upload: by link. page: anything at all, by address.
    """

    login: str = "30/15 minutes"
    name: str = "10/15 minutes"
    account: str = "100/15 minutes"
    unknown: str = "20/10 minutes"
    upload: str = "20/hour"
    page: str = "600/minute"


@dataclass(frozen=True)
class Settings:
    """base_url: what stands before the path in a link, as candidates reach the portal.

    form_s, upload_s: seconds until a request's body has to be there. upload_rate: bytes a second
    that an upload brings at least, on average over all of it. stall_s: seconds that any upload may
    take, and that none may pause. late_s: by how many seconds after the deadline an upload that
    began before has to be complete. uploads: at once. database: an SQLAlchemy URL; empty for a file
    in the team's folder.
    """

    base_url: str = "http://127.0.0.1:8000"
    database: str = ""
    form_s: float = 15.0
    upload_s: float = 300.0
    upload_rate: float = 16 << 10
    stall_s: float = 15.0
    late_s: float = 60.0
    uploads: int = 100
    rates: Rates = field(default_factory=Rates)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError(
                f"{self.base_url!r} is not of the form https://host, or http://host:port"
            )

    @property
    def secure(self) -> bool:
        """Whether the portal is reached by HTTPS, so that cookies travel by nothing else."""
        return self.base_url.startswith("https:")

    @property
    def host(self) -> str:
        """The name by which the portal is asked for."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def origin(self) -> str:
        """As browsers name the place that a form came from."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"
