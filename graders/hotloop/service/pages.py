"""Renders the service's templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.responses import HTMLResponse

from hotloop.core.html_templates import environment
from hotloop.service.web.pages import moment

TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a page. Templates can use `member`, which is None if nobody is logged in."""
    context.setdefault("member", None)
    return HTMLResponse(_environment().get_template(template).render(context), status)


@cache
def _environment() -> Environment:
    return environment(TEMPLATES, moment=moment)
