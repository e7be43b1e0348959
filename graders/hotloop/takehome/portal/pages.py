"""Templates, and what they may call. Everything is escaped, and nothing missing is passed over."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse

from hotloop.course import render_record
from hotloop.html_templates import environment
from hotloop.takehome.intervals import Interval, said
from hotloop.web.pages import moment, until

TEMPLATES = Path(__file__).parent / "templates"

_BACK = re.compile(r"(/c/[A-Za-z0-9_-]{43}|/candidates/[0-9a-f-]{36})/[a-z]+")
"""What was asked for below a page, which is where one goes back to."""


def page(template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page. Every template knows `member`, who is None on pages of strangers."""
    context.setdefault("member", None)
    return HTMLResponse(_environment().get_template(template).render(context), status)


def refusal(
    request: Request, status: int, sentence: str, headers: dict[str, str] | None = None
) -> HTMLResponse:
    """The page of a request that is not served."""
    below = _BACK.fullmatch(request.url.path)
    back = below[1] if below else ""
    answer = page("refused.html", status, code=status, sentence=sentence, back=back)
    answer.headers.update(headers or {})
    return answer


def score(value: Interval | None) -> str:
    """Of 100; both bounds while points are open."""
    return "–" if value is None else said(value)


@cache
def _environment() -> Environment:
    return environment(
        TEMPLATES, moment=moment, until=until, score=score, prose=render_record.prose
    )
