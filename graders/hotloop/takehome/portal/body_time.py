"""No request's body may come more slowly than its page can need.

How large it may be is FastAPI's business (`max_body_size`); a server waits for a slow one forever.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotloop.takehome.portal.answers import SENTENCES
from hotloop.takehome.portal.settings import Settings

_UPLOAD = re.compile(r"/c/[^/]{1,100}/submission")


def is_upload(path: str) -> bool:
    """Whether a candidate's work comes in there."""
    return _UPLOAD.fullmatch(path) is not None


def sentence(path: str) -> str:
    """Why a body that came too slowly to this address is refused."""
    if not is_upload(path):
        return SENTENCES[408]
    return (
        "The upload was too slow, or stalled, and was not taken. What you handed in before is "
        "kept. Hand in the file again, on a faster connection if you can."
    )


class BodyTime:
    """ASGI middleware. What it raises becomes a page like any other refusal."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        now = asyncio.get_running_loop().time
        given = self.settings
        if is_upload(scope["path"]):
            pace = Pace(now(), given.stall_s, given.upload_rate * given.stall_s)
            body = _Body(receive, now, now() + given.upload_s, pace)
        else:
            body = _Body(receive, now, now() + given.form_s)
        await self.app(scope, body.receive, send)


@dataclass
class Pace:
    """A floor: in each window of `window_s` seconds from `began` on, `least` bytes have to come.

    A body of fewer bytes has one window in which to come as a whole.
    """

    began: float
    window_s: float
    least: float
    _came: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]], init=False)
    _bytes: int = field(default=0, init=False)

    def add(self, time: float, size: int) -> None:
        """Count bytes that came at this time."""
        self._came.append((time, size))
        self._bytes += size
        # What is kept is the shortest end of the body that holds `least` bytes.
        while self._bytes - self._came[0][1] >= self.least:
            self._bytes -= self._came.popleft()[1]

    @property
    def until(self) -> float:
        """When it is too slow, if nothing more comes."""
        enough = self._bytes >= self.least and self._came
        return (self._came[0][0] if enough else self.began) + self.window_s


class _Body:
    def __init__(
        self, receive: Receive, now: Callable[[], float], until: float, pace: Pace | None = None
    ) -> None:
        self._receive = receive
        self._now = now
        self._until = until
        self._pace = pace
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:
            # Only the client's going away can come now, and that is waited for without end.
            return await self._receive()
        until = self._until if self._pace is None else min(self._until, self._pace.until)
        try:
            async with asyncio.timeout_at(until):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, headers={"Connection": "close"}) from None
        self._is_whole = not message.get("more_body", False)
        if self._pace is not None:
            self._pace.add(self._now(), len(message.get("body", b"")))
        return message
