"""Renders the service's templates: with autoescaping, and with errors for undefined names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from hotloop.core.html_templates import environment
from hotloop.core.intervals import Interval, said
from hotloop.verdicts import render_record

TEMPLATES = Path(__file__).parent / "templates"
STYLE = Path(__file__).with_name("site.css")

_BACK = re.compile(r"(/c/[A-Za-z0-9_-]{43}|/candidates/[0-9a-f-]{36})/[a-z]+")
"""URLs below a page; the back link leads to that page."""


def page(template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a template. `member` defaults to None, for pages without login."""
    context.setdefault("member", None)
    return HTMLResponse(_environment().get_template(template).render(context), status)


def refusal(
    request: Request, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    """Answer a refused request: JSON under /api/, a page elsewhere."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    below = _BACK.fullmatch(request.url.path)
    back = below[1] if below else ""
    parts: dict[object, Any] = getattr(request.app.state, "parts", {})
    contacts = (str(part.contact(request.url.path)) for part in parts.values())
    contact = next((one for one in contacts if one), "")
    answer = page(
        "refused.html", status, code=status, sentence=sentence, back=back, contact=contact
    )
    answer.headers.update(headers or {})
    return answer


def moment(value: datetime | None) -> str:
    """Format a time to the minute in UTC; "–" for None."""
    return "–" if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def until(value: datetime) -> str:
    """Format the time left in a suitable unit, or return "over"."""
    left = value - datetime.now(UTC)
    if left <= timedelta():
        return "over"
    if left >= timedelta(days=2):
        return f"{left.days} days left"
    hours, minutes = divmod(int(left.total_seconds()) // 60, 60)
    return f"{hours} h {minutes} min left" if hours else f"{minutes} min left"


def score(value: Interval | None) -> str:
    """Format a score out of 100, with both bounds if points are open; "–" for None."""
    return "–" if value is None else said(value)


@cache
def _environment() -> Environment:
    return environment(
        TEMPLATES, moment=moment, until=until, score=score, prose=render_record.prose
    )
