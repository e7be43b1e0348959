"""Keeps out of the portal's database whom the team's folder does not know any more: `hotloop
takehome forget` deletes in the folder, and knows nothing of the database.
"""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy.exc import SQLAlchemyError

from hotloop.takehome.portal import links
from hotloop.takehome.portal.portal import Portal
from hotloop.takehome.team import TeamError

EACH_S = 30.0

log = logging.getLogger("hotloop.takehome")


async def keep_tidy(portal: Portal) -> None:
    """At once, and then each now and then, until it is cancelled."""
    while True:
        await asyncio.to_thread(tidy, portal)
        await asyncio.sleep(EACH_S)


def tidy(portal: Portal) -> None:
    """Delete links and queue lines of packs that are gone. Where a record is damaged nobody can say
    which are: then nothing is deleted.
    """
    try:
        # First the database: of what comes into both meanwhile nothing is deleted.
        known = links.packs(portal.engine) | {pack for pack, _ in portal.queue.all()}
        here = {record.pack for record in portal.team.packs()}
        for pack in known - here:
            links.end(portal.engine, pack)
            portal.queue.forget(pack)
    except (TeamError, SQLAlchemyError, OSError) as error:
        log.error("%s", error)
