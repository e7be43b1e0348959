"""How often something may be asked for."""

from __future__ import annotations

import ipaddress
import math
import time
from dataclasses import dataclass, field
from typing import cast

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from hotloop.web.answers import SENTENCES, Refused


@dataclass
class RateLimits:
    """What is counted, by kind and by who asks.

    rates: a dataclass whose fields are rates by kind, as the library `limits` writes them.
    """

    rates: object
    _limiter: MovingWindowRateLimiter = field(init=False)
    _items: dict[str, RateLimitItem] = field(init=False)

    def __post_init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        rates = cast(dict[str, str], vars(self.rates))
        self._items = {kind: parse(rate) for kind, rate in rates.items()}

    def count(self, kind: str, who: str) -> None:
        """Count one. Refused, with 429, when that was too often."""
        item = self._items[kind]
        if not self._limiter.hit(item, kind, who):
            raise self._refused(item, kind, who)

    def clear(self, kind: str, who: str) -> None:
        """Begin anew: it was the right one after all."""
        self._limiter.clear(self._items[kind], kind, who)

    def _refused(self, item: RateLimitItem, kind: str, who: str) -> Refused:
        reset = self._limiter.get_window_stats(item, kind, who).reset_time
        wait = max(1, math.ceil(reset - time.time()))
        return Refused(429, SENTENCES[429], wait_s=wait)


def address(host: str) -> str:
    """Who counts as one: an address, or a network as a home has it with IPv6."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host[:64]
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
