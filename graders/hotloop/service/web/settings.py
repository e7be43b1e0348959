"""Settings of a site."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

FORM_BYTES = 256 << 10
"""Most bytes of a form without a file: a scorecard's remarks are the longest."""

FIELDS = 300
FIELD_BYTES = 16 << 10


@dataclass(frozen=True)
class Settings:
    """Settings of a site. base_url: scheme and host by which people reach the site.

    form_s, upload_s: seconds until a request's body must be complete. upload_rate: bytes per second
    that an upload must average. stall_s: seconds that any upload may take, and longest pause in
    one. database: an SQLAlchemy URL; "" for a file in the site's folder. least_free: bytes that
    must be free on a disk for an upload to be taken: more than all that come in at once.
    """

    base_url: str = "http://127.0.0.1:8000"
    database: str = ""
    form_s: float = 15.0
    upload_s: float = 300.0
    upload_rate: float = 16 << 10
    stall_s: float = 15.0
    least_free: int = 1 << 30

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError(
                f"{self.base_url!r} is not of the form https://host, or http://host:port"
            )

    @property
    def secure(self) -> bool:
        """True if the site is reached by HTTPS, so that cookies are sent by HTTPS only."""
        return self.base_url.startswith("https:")

    @property
    def host(self) -> str:
        """The host name of the site."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def origin(self) -> str:
        """The site's origin, as browsers send it in the header Origin."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"
