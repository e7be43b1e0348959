"""Retries while a database is busy, restarting or out of space; then says what to do."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError

from hotloop.core.user_error import UserError

SHORTEST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 2.0

_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_READONLY, _SQLITE_IOERR = 5, 6, 8, 10
_SQLITE_FULL, _SQLITE_CANTOPEN = 13, 14

ResultT = TypeVar("ResultT")


log = logging.getLogger(__name__)


class StoreUnavailable(UserError):
    """The database cannot be used. The text says what to do; no stored data is lost."""


@dataclass(frozen=True)
class DatabaseFault:
    """A database fault. passes: whether waiting may help."""

    sentence: str
    passes: bool


_BUSY = DatabaseFault(
    "The gradebook's database stayed locked by another program. End that program (a database "
    "browser, a backup, another grading that hangs) and run the command again.",
    passes=True,
)
_FULL = DatabaseFault(
    "The disk with the gradebook's database is full. Make room and run the command again: what "
    "was stored is whole, and the rest is done then.",
    passes=True,
)
_DISK = DatabaseFault(
    "The gradebook's database could not be read or written: its disk is full or faulty. Make "
    "room or fix it, and run the command again.",
    passes=True,
)
_READ_ONLY = DatabaseFault(
    "The gradebook's database may not be written by this account. Change the owner or the mode "
    "of its file and of the file's folder.",
    passes=False,
)
_NOT_THERE = DatabaseFault(
    "The gradebook's database cannot be opened. See that its folder exists, and that this account "
    "may write in it.",
    passes=False,
)
_GONE = DatabaseFault(
    "The database server does not answer. Start it, see that `c.CourseDirectory.db_url` names it, "
    "and run the command again: what was stored is there.",
    passes=True,
)
_REFUSED = DatabaseFault(
    "The database server refuses the account or does not know the database that "
    "`c.CourseDirectory.db_url` names. Correct it, or make them on the server.",
    passes=False,
)

_BY_SQLITE_CODE = {
    _SQLITE_BUSY: _BUSY,
    _SQLITE_LOCKED: _BUSY,
    _SQLITE_READONLY: _READ_ONLY,
    _SQLITE_IOERR: _DISK,
    _SQLITE_FULL: _FULL,
    _SQLITE_CANTOPEN: _NOT_THERE,
}

_BY_SQLSTATE = {
    "08": _GONE,  # connection exceptions
    "28": _REFUSED,  # invalid authorization
    "3D": _REFUSED,  # no such database
    "40": _BUSY,  # serialization failure, deadlock
    "55P03": _BUSY,  # lock not available
    "53100": _FULL,
    "53": _GONE,  # out of memory, too many connections
    "57": _GONE,  # shut down, crashed, starting up
    "58": _DISK,  # input and output
    "25006": _READ_ONLY,
}

_REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry")


def fault_of(error: DBAPIError) -> DatabaseFault | None:
    """Return the database's fault, or None for an error of the program."""
    cause: Any = error.orig
    code = getattr(cause, "sqlite_errorcode", None)
    if isinstance(code, int):
        return _BY_SQLITE_CODE.get(code & 0xFF)
    state = str(getattr(cause, "sqlstate", None) or "")
    if state:
        return next((_BY_SQLSTATE[s] for s in (state, state[:2]) if s in _BY_SQLSTATE), None)
    if type(cause).__name__ != "OperationalError" and not error.connection_invalidated:
        return None
    # A refused connection has no code, only the server's message.
    return _REFUSED if any(word in str(cause) for word in _REFUSALS) else _GONE


def sentence_of(error: DBAPIError) -> str:
    """Return the sentence for a database's fault; "" for an error of the program."""
    fault = fault_of(error)
    return f"{fault.sentence} ({_words(error)})" if fault is not None else ""


def patiently(act: Callable[[], ResultT], seconds: float) -> ResultT:
    """Return the result of `act`, retried while the database has a temporary fault.

    That it waits is logged once. `act` must be safe to repeat. Raises StoreUnavailable after
    `seconds`, or if waiting cannot help.
    """
    deadline = time.monotonic() + seconds
    pause = SHORTEST_PAUSE_S
    is_logged = False
    while True:
        try:
            return act()
        except DBAPIError as error:
            fault = fault_of(error)
            if fault is None:
                raise
            left = deadline - time.monotonic()
            if not fault.passes or left <= 0:
                raise StoreUnavailable(sentence_of(error)) from error
            if not is_logged:
                what = "Waiting up to %.0f s for the gradebook's database: %s."
                log.warning(what, left, _words(error))
                is_logged = True
        # Random pauses, so that many waiting processes do not retry at once.
        time.sleep(min(pause * random.uniform(0.5, 1.5), left))
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _words(error: DBAPIError) -> str:
    """Return the first line of the database's message."""
    lines = str(error.orig).strip().splitlines()
    return lines[0] if lines else type(error.orig).__name__
