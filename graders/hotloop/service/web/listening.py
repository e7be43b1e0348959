"""Runs a site: a socket, uvicorn, and the supervised processes."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from ipaddress import ip_network

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from hotloop.core.user_error import UserError
from hotloop.service.web.supervisor import Supervisor

REQUEST_S = 15.0
"""Seconds in which a connection must send the head of a request. uvicorn waits forever, and accepts
no further requests once there are `MOST_CONNECTIONS`.
"""

MOST_CONNECTIONS = 500


class Prompt(H11Protocol):
    """uvicorn's HTTP/1.1, which closes connections that send no request within `REQUEST_S`."""

    _ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer: the connection has sent no request yet."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Process data. The timer stops at a complete head; a partial head does not restart it."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        self._end_wait()

    def _look(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._end_wait()
        elif self._ends is None:
            self._ends = self.loop.call_later(REQUEST_S, self.transport.close)

    def _end_wait(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None


def address(url: str, host: str, port: int) -> str:
    """Return the base URL of links. Raises UserError if it cannot be derived."""
    if url:
        return url.rstrip("/")
    if host in ("0.0.0.0", "::"):
        raise UserError("Say with --url how people reach this site, such as https://host.")
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def require_addresses(proxy: str) -> None:
    """Check the proxies' addresses. Raises UserError for an invalid one.

    An invalid address never matches, so rate limits would count the proxy as one client.
    """
    proxies = [one.strip() for one in proxy.split(",")] if proxy else []
    for one in proxies:
        try:
            if one != "*":
                ip_network(one)
        except ValueError:
            raise UserError(
                f"--proxy: {one!r} is no address such as 10.0.0.2, and no network such as "
                "10.0.0.0/8."
            ) from None


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that already listens, so that the printed address works.

    Raises UserError if it cannot listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise UserError(
            f"Nothing can listen on {host}:{port}: {reason}. Choose another --host or --port."
        ) from None


def run(
    app: ASGIApp, listens: socket.socket, beside: Sequence[Supervisor] = (), proxy: str = ""
) -> None:
    """Serve until the process is told to end. Raises UserError if the application did not start.

    beside: processes that run as long as the site. proxy: addresses of reverse proxies whose
    X-Forwarded-For header is trusted.
    """
    logging.getLogger("hotloop").setLevel(logging.INFO)
    settings = uvicorn.Config(
        app,
        # Page URLs are secrets and must not be logged.
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxy),
        forwarded_allow_ips=proxy or None,
        http=Prompt,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=20,
        h11_max_incomplete_event_size=32 << 10,
    )
    server = uvicorn.Server(settings)
    for process in beside:
        process.start()
    try:
        server.run([listens])
    finally:
        for process in beside:
            process.stop()
    if not server.started:
        raise UserError("The site did not start: its log says why.")
