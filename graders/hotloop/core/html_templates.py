"""Jinja environments for pages: everything is escaped, and undefined variables are errors.

Characters that a browser does not show, or that turn the direction of text, become visible marks
wherever a value is written: names, code and messages in pages are other people's.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hotloop.core.untrusted_text import readable


def environment(folder: Path, **filters: Callable[..., Any]) -> Environment:
    """Return an environment for the templates in a folder. filters: extra filters by name."""
    templates = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    templates.filters.update(filters)
    return templates


def _shown(value: Any) -> Any:
    if isinstance(value, Markup):
        return Markup(readable(str(value)))
    return readable(value) if isinstance(value, str) else value
