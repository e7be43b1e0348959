"""Settings of a portal."""

from dataclasses import dataclass, field

from hotloop.learn.pack import limits
from hotloop.service.web.settings import Settings as OfSite

UPLOAD_BYTES = limits.MAX_UPLOAD + (64 << 10)
"""Bytes of a submission with its form."""


@dataclass(frozen=True)
class Rates:
    """Rate limits, in the notation of the library `limits`.

    login: attempts per address. name: attempts per address and account. account: attempts on one
    account from everywhere; higher, since anybody who knows a name could lock its member out.
    unknown: nonexistent links, per address. upload: per link. page: all requests, per address.
    """

    login: str = "30/15 minutes"
    name: str = "10/15 minutes"
    account: str = "100/15 minutes"
    unknown: str = "20/10 minutes"
    upload: str = "20/hour"
    page: str = "600/minute"


@dataclass(frozen=True)
class Settings(OfSite):
    """Settings of a portal. late_s: seconds after the deadline until an upload must be complete.

    uploads: most uploads at once.
    """

    late_s: float = 60.0
    uploads: int = 100
    rates: Rates = field(default_factory=Rates)
