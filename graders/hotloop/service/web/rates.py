"""Rate limits on requests."""

from __future__ import annotations

import ipaddress
import math
import time
from dataclasses import dataclass, field
from typing import cast

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from hotloop.service.web.answers import SENTENCES, RequestRefused


@dataclass
class RateLimits:
    """Counters by kind of request and by client.

    rates: a dataclass whose fields are rates by kind, in the notation of the library `limits`.
    """

    rates: object
    _limiter: MovingWindowRateLimiter = field(init=False)
    _items: dict[str, RateLimitItem] = field(init=False)

    def __post_init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        rates = cast(dict[str, str], vars(self.rates))
        self._items = {kind: parse(rate) for kind, rate in rates.items()}

    def count(self, kind: str, who: str) -> None:
        """Count one request. Raises Refused with status 429 if the limit is exceeded."""
        item = self._items[kind]
        if not self._limiter.hit(item, kind, who):
            reset = self._limiter.get_window_stats(item, kind, who).reset_time
            wait = max(1, math.ceil(reset - time.time()))
            raise RequestRefused(429, SENTENCES[429], wait_s=wait)

    def clear(self, kind: str, who: str) -> None:
        """Reset a counter, for example after a successful login."""
        self._limiter.clear(self._items[kind], kind, who)


def address(host: str) -> str:
    """Return the key of a client for counting: an IPv4 address, or an IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host[:64]
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is None:
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)
