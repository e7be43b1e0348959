"""A real server for a site, in a thread of the tests' process."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from hotloop.service.web.listening import Prompt


@contextmanager
def listening(app: ASGIApp, port: int = 0) -> Iterator[int]:
    """Run the server and yield its port. port: 0 for one that is free."""
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", http=Prompt))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + 10
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
