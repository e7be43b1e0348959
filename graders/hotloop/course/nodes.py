"""Typed constructors for notebook cells and outputs.

nbformat's own validate each cell and output against the JSON schema, which takes longer than
everything else in reading a submission; tests validate what is made here instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import nbformat
from nbformat import NotebookNode


def of(document: Mapping[str, Any]) -> NotebookNode:
    """Convert a part of a notebook file."""
    return cast(Any, nbformat).from_dict(document)


def notebook() -> NotebookNode:
    """Return a notebook without cells."""
    return of({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})


def code(source: str, metadata: Mapping[str, Any] | None = None) -> NotebookNode:
    """Return a code cell that has not run, without an id."""
    cell = {"cell_type": "code", "source": source, "metadata": dict(metadata or {})}
    return of({**cell, "execution_count": None, "outputs": []})


def markdown(
    source: str,
    metadata: Mapping[str, Any] | None = None,
    attachments: Mapping[str, Any] | None = None,
) -> NotebookNode:
    """Return a text cell, without an id. attachments: its pictures, as in nbformat."""
    cell = {"cell_type": "markdown", "source": source, "metadata": dict(metadata or {})}
    return of({**cell, "attachments": dict(attachments)} if attachments else cell)


def stream(name: str, text: str) -> NotebookNode:
    """Return text on standard output or standard error."""
    return of({"output_type": "stream", "name": name, "text": text})


def display(data: Mapping[str, str]) -> NotebookNode:
    """Return displayed data, by MIME type."""
    return of({"output_type": "display_data", "data": dict(data), "metadata": {}})


def error(name: str, message: str, trace: Sequence[str]) -> NotebookNode:
    """Return an exception as Jupyter shows it."""
    traceback = list(trace)
    return of({"output_type": "error", "ename": name, "evalue": message, "traceback": traceback})
