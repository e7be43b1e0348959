"""Delivers events, signed by Standard Webhooks or as Greenhouse wants them, until taken."""

from __future__ import annotations

import base64
import hmac
import logging
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener
from uuid import UUID

from sqlalchemy import Row, select, update

from hotloop.core.transactions import writing
from hotloop.learn.remote.client import USER_AGENT, NoRedirect
from hotloop.service.tables import ats_deliveries
from hotloop.service.takehome.ats import candidates
from hotloop.service.takehome.ats.events import GREENHOUSE
from hotloop.service.takehome.ats.settings import AtsSettings, Greenhouse
from hotloop.service.takehome.portal import Portal

TIMEOUT_S = 15.0
AT_ONCE = 20
"""Most deliveries in one go."""

LEASE = timedelta(minutes=5)
"""For how long a delivery belongs to the portal that took it; longer than AT_ONCE timeouts."""

PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
)
"""Between tries, as Standard Webhooks recommends; after the last one a delivery is given up."""

log = logging.getLogger("hotloop.service")


class NotTaken(Exception):
    """The receiver did not take a delivery. The text is one sentence."""


def signature(secret: str, name: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message by Standard Webhooks. name: the message's id."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{name}.{timestamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(key, content, 'sha256')).decode()}"


def basic(key: str) -> str:
    """Return the header by which Greenhouse and its partners know one another."""
    return f"Basic {base64.b64encode(f'{key}:'.encode()).decode()}"


def is_allowed(settings: Greenhouse, url: str) -> bool:
    """True for an address at which results may be announced."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = any(host == one or host.endswith(f".{one}") for one in settings.callback_hosts)
    return named and (parts.scheme == "https" or host == "127.0.0.1")


def send_due(portal: Portal, settings: AtsSettings) -> int:
    """Try what is due; return how many deliveries were taken by their receivers."""
    taken = 0
    for row in _claimed(portal):
        try:
            _send(portal, settings, row)
        except NotTaken as error:
            _put_off(portal, row, str(error))
        else:
            taken += 1
            _set(portal, row, {"due": None, "body": "", "problem": ""})
    return taken


def _send(portal: Portal, settings: AtsSettings, row: Row[Any]) -> None:
    if row.target == GREENHOUSE:
        about = candidates.of_packs(portal.engine).get(UUID(row.pack))
        if about is None or settings.greenhouse is None:
            raise NotTaken("Greenhouse is not in ats.yaml, or did not invite this candidate.")
        key = {"Authorization": basic(settings.greenhouse.key)}
        _request("PATCH", about.callback, b"", key)
        return
    if settings.webhook is None:
        raise NotTaken("No webhook is in ats.yaml.")
    body, now = row.body.encode(), int(time.time())
    headers = {
        "Content-Type": "application/json",
        "webhook-id": row.id,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(settings.webhook.secret, row.id, now, body),
    }
    _request("POST", settings.webhook.url, body, headers)


def _request(method: str, url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Send a request. Raises NotTaken unless the answer is 2xx."""
    own = {"User-Agent": USER_AGENT, **headers}
    host = urlsplit(url).hostname
    try:
        request = Request(url, body, own, method=method)
        with closing(build_opener(NoRedirect).open(request, timeout=TIMEOUT_S)):
            return
    except HTTPError as error:
        with closing(error):
            raise NotTaken(f"{host} answers with {error.code}.") from None
    except (OSError, HTTPException, ValueError) as error:
        raise NotTaken(f"{host} does not answer: {error}.") from None


def _claimed(portal: Portal) -> list[Row[Any]]:
    """Take what is due, so that no other portal sends it at the same time."""
    now = datetime.now(UTC)
    table = ats_deliveries
    query = select(table).where(table.c.due <= now).order_by(table.c.due).limit(AT_ONCE)
    with writing(portal.engine) as connection:
        rows = list(connection.execute(query))
        taken = update(table).where(table.c.id.in_([row.id for row in rows]))
        connection.execute(taken.values(due=now + LEASE))
    return rows


def _put_off(portal: Portal, row: Row[Any], problem: str) -> None:
    """Try again later, or give up."""
    log.error("an event was not delivered: %s", problem)
    tries = int(row.tries)
    due = None if tries >= len(PAUSES) else datetime.now(UTC) + PAUSES[tries]
    _set(portal, row, {"due": due, "tries": tries + 1, "problem": problem[:500]})


def _set(portal: Portal, row: Row[Any], values: dict[str, Any]) -> None:
    with writing(portal.engine) as connection:
        connection.execute(
            update(ats_deliveries).where(ats_deliveries.c.id == row.id).values(values)
        )
