"""What is refused for its size gets a page like any other refusal.

FastAPI turns it away before any page is asked (`max_body_size`), with two words of plain text.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotloop.takehome import limits
from hotloop.takehome.portal.answers import SENTENCES
from hotloop.takehome.portal.body_time import is_upload
from hotloop.takehome.portal.pages import refusal


class TooLarge:
    """ASGI middleware, around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        replaced = False

        async def send_pages(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and _is_bare(message):
                replaced = True
                answer = refusal(Request(scope), 413, sentence(scope["path"]))
                await answer(scope, receive, send)
            elif not replaced:
                await send(message)

        await self.app(scope, receive, send_pages)


def _is_bare(message: Message) -> bool:
    kind = Headers(raw=message["headers"]).get("content-type", "")
    return message["status"] == 413 and kind.startswith("text/plain")


def sentence(path: str) -> str:
    """Why what was sent to this address is refused."""
    if not is_upload(path):
        return SENTENCES[413]
    return (
        f"The file is larger than {limits.MAX_UPLOAD >> 20} MiB, and was not read: hand in the one "
        "that `hotloop takehome submit` wrote."
    )
