"""Cells and outputs of notebooks, with types: nbformat's own functions have none."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import nbformat
from nbformat import NotebookNode, v4

_V4 = cast(Any, v4)


def of(document: Mapping[str, Any]) -> NotebookNode:
    """A part of a notebook file."""
    return cast(Any, nbformat).from_dict(document)


def notebook() -> NotebookNode:
    """A notebook without cells."""
    return _V4.new_notebook()


def code(source: str, metadata: Mapping[str, Any] | None = None) -> NotebookNode:
    """A code cell that has not run."""
    return _V4.new_code_cell(source, metadata=dict(metadata or {}))


def markdown(source: str, metadata: Mapping[str, Any] | None = None) -> NotebookNode:
    """A text cell."""
    return _V4.new_markdown_cell(source, metadata=dict(metadata or {}))


def stream(name: str, text: str) -> NotebookNode:
    """Text on standard output or standard error."""
    return _V4.new_output("stream", name=name, text=text)


def display(data: Mapping[str, str]) -> NotebookNode:
    """Something shown, by kind of data."""
    return _V4.new_output("display_data", data=dict(data))


def error(name: str, message: str, trace: Sequence[str]) -> NotebookNode:
    """An exception as Jupyter shows it."""
    return _V4.new_output("error", ename=name, evalue=message, traceback=list(trace))
