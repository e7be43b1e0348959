"""Sends requests to a service so that no result is lost when this process is killed.

The request's idempotency key is kept in a file until the records arrive: the same request, sent
again, then joins the existing job and is not judged twice.
"""

from __future__ import annotations

import secrets
import time
from hashlib import sha256
from pathlib import Path

from hotloop.core.data_folder import folder
from hotloop.core.record import Record
from hotloop.learn.remote import client
from hotloop.learn.remote.client import JobEnded, Say, ServiceClient
from hotloop.learn.remote.request import RemoteRequest

NOTES = "asked"
LONGEST_S = 24 * 3600.0
"""Age of a key in seconds from which the same request becomes a new job."""


def ask(server: ServiceClient, request: RemoteRequest, say: Say) -> list[Record]:
    """As `client.ask`, with the key of an earlier equal request that was never answered."""
    note = _note(server, request)
    try:
        records = client.ask(server, request, _key(note), say)
    except (KeyboardInterrupt, JobEnded):
        note.unlink(missing_ok=True)
        raise
    note.unlink(missing_ok=True)
    return records


def _note(server: ServiceClient, request: RemoteRequest) -> Path:
    about = sha256(f"{server.url}\n{request.model_dump_json()}".encode()).hexdigest()
    notes = folder() / NOTES
    notes.mkdir(parents=True, exist_ok=True)
    return notes / about


def _key(note: Path) -> str:
    if note.exists() and time.time() - note.stat().st_mtime < LONGEST_S:
        return note.read_text(encoding="ascii")
    key = secrets.token_hex(16)
    partial = note.with_suffix(f".{key}")
    partial.write_text(key, encoding="ascii")
    partial.replace(note)
    return key
