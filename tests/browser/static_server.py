"""The site, served as any server of plain files does it, below a path of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class _Server(ThreadingHTTPServer):
    """Serves files as `python -m http.server` does, without a log. sent: bytes of all answers."""

    daemon_threads = True
    sent = 0

    @property
    def address(self) -> str:
        """Where the site is, which ends with a path of its own."""
        return f"http://127.0.0.1:{self.server_port}/docs/hotloop/"


class _Handler(SimpleHTTPRequestHandler):
    server: _Server

    def log_request(self, *_: Any) -> None:
        """Say nothing."""

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file, and count it."""
        self.server.sent += source.seek(0, 2)
        source.seek(0)
        super().copyfile(source, outputfile)


@contextmanager
def served(site: Path, folder: Path) -> Iterator[_Server]:
    """Serve the site as it is, below a path. folder: an empty one."""
    (folder / "docs").mkdir()
    (folder / "docs" / "hotloop").symlink_to(site)
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
