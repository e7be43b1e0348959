"""Limits the number of simultaneous uploads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from hotloop.web.answers import SENTENCES, Refused
from hotloop.web.settings import Settings
from hotloop.web.site import Site


@contextmanager
def place(site: Site[Settings], who: str, most: int) -> Generator[None]:
    """Hold a slot for one client's upload.

    Raises Refused if the client has one already or there are `most` uploads.
    """
    if who in site.uploading:
        raise Refused(429, "Another upload of yours is coming in: wait for it.", wait_s=5)
    if len(site.uploading) >= most:
        raise Refused(503, SENTENCES[503], wait_s=60)
    site.uploading.add(who)
    try:
        yield
    finally:
        site.uploading.discard(who)
