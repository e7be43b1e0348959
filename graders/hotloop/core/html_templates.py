"""Jinja environments for pages: everything is escaped, and undefined variables are errors."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment(folder: Path, **filters: Callable[..., Any]) -> Environment:
    """Return an environment for the templates in a folder. filters: extra filters by name."""
    templates = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(filters)
    return templates
