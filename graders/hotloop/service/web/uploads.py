"""Limits the number of simultaneous uploads, and keeps the disk from being filled by them."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hotloop.service.web.answers import SENTENCES, RequestRefused
from hotloop.service.web.site import SiteState

NO_SPACE = (
    "The disk here is nearly full, so nothing was taken; what you sent before is kept. Tell the "
    "people who run this site, and send it again once they have made room."
)

log = logging.getLogger("hotloop.service.web")


@contextmanager
def place(site: SiteState, who: str, most: int, folders: Sequence[Path]) -> Generator[None]:
    """Hold a slot for one client's upload.

    folders: where it will be stored. Raises Refused if the client has one already, there are `most`
    uploads, or a folder's disk is nearly full.
    """
    require_space(folders, site.settings.least_free)
    if who in site.uploading:
        raise RequestRefused(429, "Another upload of yours is coming in: wait for it.", wait_s=5)
    if len(site.uploading) >= most:
        raise RequestRefused(503, SENTENCES[503], wait_s=60)
    site.uploading.add(who)
    try:
        yield
    finally:
        site.uploading.discard(who)


def require_space(folders: Sequence[Path], least: int) -> None:
    """Raise Refused with status 507 if a folder's disk has less than `least` bytes free."""
    if full := nearly_full(folders, least):
        log.error("less than %d MiB are free for %s", least >> 20, ", ".join(map(str, full)))
        raise RequestRefused(507, NO_SPACE)


def nearly_full(folders: Sequence[Path], least: int) -> list[Path]:
    """Return the folders whose disk has less than `least` bytes free; they need not exist yet."""
    full: list[Path] = []
    for folder in folders:
        existing = next(one for one in (folder, *folder.parents) if one.exists())
        if shutil.disk_usage(existing).free < least:
            full.append(folder)
    return full
