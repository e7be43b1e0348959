"""How a site is run."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

FORM_BYTES = 256 << 10
"""Of a form without a file: a scorecard's remarks are the longest."""

FIELDS = 300
FIELD_BYTES = 16 << 10


@dataclass(frozen=True)
class Settings:
    """base_url: what stands before the path in a link, as people reach the site.

    form_s, upload_s: seconds until a request's body has to be there. upload_rate: bytes a second
    that an upload brings at least, on average over all of it. stall_s: seconds that any upload may
    take, and that none may pause. database: an SQLAlchemy URL; empty for a file in the site's own
    folder.
    """

    base_url: str = "http://127.0.0.1:8000"
    database: str = ""
    form_s: float = 15.0
    upload_s: float = 300.0
    upload_rate: float = 16 << 10
    stall_s: float = 15.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError(
                f"{self.base_url!r} is not of the form https://host, or http://host:port"
            )

    @property
    def secure(self) -> bool:
        """Whether the site is reached by HTTPS, so that cookies travel by nothing else."""
        return self.base_url.startswith("https:")

    @property
    def host(self) -> str:
        """The name by which the site is asked for."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def origin(self) -> str:
        """As browsers name the place that a form came from."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"
