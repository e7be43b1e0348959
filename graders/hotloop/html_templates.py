"""How pages are made of templates: everything is escaped, and nothing missing is passed over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment(folder: Path, **filters: Callable[..., Any]) -> Environment:
    """Of the templates in a folder. filters: what they may call, by name."""
    made = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(filters)
    return made
