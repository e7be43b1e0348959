"""No request's body may come more slowly than its page can need.

How large it may be is FastAPI's business (`max_body_size`); a server waits for a slow one for ever.
"""

from __future__ import annotations

import asyncio
import re

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotloop.takehome.portal.settings import Settings

_UPLOAD = re.compile(r"/c/[^/]{1,100}/submission")


def is_upload(path: str) -> bool:
    """Whether a candidate's work comes in there."""
    return _UPLOAD.fullmatch(path) is not None


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
        seconds = self.settings.upload_s if is_upload(scope["path"]) else self.settings.form_s
        body = _Body(receive, asyncio.get_running_loop().time() + seconds)
        await self.app(scope, body.receive, send)


class _Body:
    def __init__(self, receive: Receive, until: float) -> None:
        self._receive = receive
        self._until = until
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:
            # Only the client's going away can come now, and that is waited for without end.
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, headers={"Connection": "close"}) from None
        self._is_whole = not message.get("more_body", False)
        return message
