"""How a portal is run."""

from dataclasses import dataclass, field

from hotloop.takehome import limits
from hotloop.web.settings import Settings as OfSite

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
class Settings(OfSite):
    """late_s: by how many seconds after the deadline an upload that began before has to be
    complete. uploads: at once.
    """

    late_s: float = 60.0
    uploads: int = 100
    rates: Rates = field(default_factory=Rates)
