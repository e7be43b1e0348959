"""Typed constructors for notebook cells and outputs: nbformat's own have no types."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import nbformat
from nbformat import NotebookNode, v4

_V4 = cast(Any, v4)


def of(document: Mapping[str, Any]) -> NotebookNode:
    """Convert a part of a notebook file."""
    return cast(Any, nbformat).from_dict(document)


def notebook() -> NotebookNode:
    """Return a notebook without cells."""
    return _V4.new_notebook()


def code(source: str, metadata: Mapping[str, Any] | None = None) -> NotebookNode:
    """Return a code cell that has not run."""
    return _V4.new_code_cell(source, metadata=dict(metadata or {}))


def markdown(source: str, metadata: Mapping[str, Any] | None = None) -> NotebookNode:
    """Return a text cell."""
    return _V4.new_markdown_cell(source, metadata=dict(metadata or {}))


def stream(name: str, text: str) -> NotebookNode:
    """Return text on standard output or standard error."""
    return _V4.new_output("stream", name=name, text=text)


def display(data: Mapping[str, str]) -> NotebookNode:
    """Return displayed data, by MIME type."""
    return _V4.new_output("display_data", data=dict(data))


def error(name: str, message: str, trace: Sequence[str]) -> NotebookNode:
    """Return an exception as Jupyter shows it."""
    return _V4.new_output("error", ename=name, evalue=message, traceback=list(trace))
