"""`check("module.task")` inside the sandbox, where a socket already leads to the judge."""

import os
import socket
import sys

from hotloop.core.graded_run import JUDGE, REPLAY
from hotloop.worker.serve import serve


def sandboxed() -> bool:
    """Return True if `check` must serve a judge, or do nothing because cells are being replayed."""
    return JUDGE in os.environ or bool(os.environ.get(REPLAY))


def check(_key: str, *, budget_s: float = 120.0) -> None:
    """Serve the judge until it is done, or return at once while cells are replayed.

    Return nothing: the judge reports the result outside the learner's process.
    """
    del budget_s
    if not os.environ.get(REPLAY):
        serve_judge()


def predict(_key: str) -> None:
    """Do nothing: predictions do not affect the grade."""


def serve_judge() -> None:
    """Connect to the judge's socket and answer requests until the judge ends the session."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.connect(os.environ[JUDGE])
        serve(sock, sys.modules["__main__"].__dict__)
