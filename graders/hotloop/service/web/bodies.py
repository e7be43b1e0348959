"""Limits on the size of request bodies and on how slowly they may arrive.

FastAPI counts the bytes (`max_body_size`) and rejects a body that is too large with two words of
plain text; here that becomes an ordinary refusal. A server without a limit waits forever for a slow
body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotloop.service.settings import ServiceSettings


class BodyTime:
    """ASGI middleware that enforces time limits on bodies. Exceptions become refusals.

    is_upload: whether a path receives uploads. largest: most bytes of an upload.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        is_upload: Callable[[str], bool],
        largest: int,
    ) -> None:
        self.app = app
        self.settings = settings
        self.is_upload = is_upload
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        settings = self.settings
        until = asyncio.get_running_loop().time() + settings.form_s
        pause = settings.form_s
        if self.is_upload(scope["path"]):
            # Without a content length, allow the time of the largest upload.
            size = int(Headers(scope=scope).get("content-length", self.largest))
            most_s = min(settings.upload_s, max(settings.stall_s, size / settings.upload_rate))
            until, pause = asyncio.get_running_loop().time() + most_s, settings.stall_s
        await self.app(scope, _Body(receive, until, pause).receive, send)


@dataclass
class _Body:
    """A request's body. until: deadline for all of it. pause: most seconds between two parts."""

    _receive: Receive
    until: float
    pause: float
    is_whole: bool = False

    async def receive(self) -> Message:
        if self.is_whole:
            # Only a disconnect can follow now, and waiting for it has no time limit.
            return await self._receive()
        next_part = asyncio.get_running_loop().time() + self.pause
        try:
            async with asyncio.timeout_at(min(self.until, next_part)):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, headers={"Connection": "close"}) from None
        self.is_whole = not message.get("more_body", False)
        return message


class TooLarge:
    """ASGI middleware around the application. refusal: makes the response for a body too large."""

    def __init__(self, app: ASGIApp, refusal: Callable[[Request], Response]) -> None:
        self.app = app
        self.refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        replaced = False

        async def send_pages(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and message["status"] == 413:
                kind = Headers(raw=message["headers"]).get("content-type", "")
                replaced = kind.startswith("text/plain")
            if replaced and message["type"] == "http.response.start":
                await self.refusal(Request(scope))(scope, receive, send)
            elif not replaced:
                await send(message)

        await self.app(scope, receive, send_pages)
