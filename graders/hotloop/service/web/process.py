"""A supervised process, from its own side: it works until it is told to end, or its site ends."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import threading
from pathlib import Path
from types import FrameType

from sqlalchemy import Engine

from hotloop.service.tables import opened
from hotloop.service.web.supervisor import end_with_site

DATABASE = "HOTLOOP_SERVE_DATABASE"
"""Environment variable with the database's URL, which may contain a password."""

_OF_COMMANDS = (DATABASE, "HOTLOOP_PORTAL_DATABASE")
"""What commands read such URLs from: nothing that a process starts may inherit one."""


class Stopped(BaseException):
    """The process was asked to end.

    A BaseException, so that code which handles faults of the work does not catch it.
    """


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return the parser of what every process is given. about: its module's docstring."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="Of the database, unless that has a URL.")
    parser.add_argument("--name", required=True)
    return parser


def begin(kind: str, folder: Path) -> Engine:
    """Open the database, and make this process end with its site. Raises DatabaseUnavailable."""
    end_with_site()
    logging.basicConfig(format=f"%(asctime)s {kind}: %(message)s", level=logging.WARNING)
    url, _ = (os.environ.pop(name, "") for name in _OF_COMMANDS)
    return opened(folder, url)


def end_by_signal(ending: threading.Event, *, interrupt: bool = True) -> None:
    """Set `ending` at the first signal to end; later ones must not interrupt the cleanup.

    interrupt: also raise Stopped in the main thread. Interrupted C code may raise another error;
    the event shows that it was no fault.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ending.set()
        if interrupt:
            raise Stopped

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
