"""Builds a valid notebook from any hand-in, of the cells in the order in which they are judged.

Cells are created from their kind and text, and graded ones get their released metadata, so that no
metadata of a learner's reaches a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from nbformat import NotebookNode

from hotloop.course import nodes
from hotloop.course.pictures import Attachments, Pictures
from hotloop.course.sanitize import harmless_markdown, literal
from hotloop.judge.notebook_placement import Placed
from hotloop.judge.notebook_release import Release
from hotloop.judge.notebook_repair import repaired

MAX_MARKDOWN = 512 * 1024
"""Most characters of all text cells together; later ones are shown as source, unparsed."""


@dataclass
class RepairedNotebook:
    """A valid notebook; the rest is as of `Repaired`."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list[str])
    unreadable: str = ""
    answers: int = 0
    persons: Sequence[str] = ()


def repair(
    data: bytes | None, release: Release, files: Mapping[str, bytes] = MappingProxyType({})
) -> RepairedNotebook:
    """Return the notebook to grade. data: None if none was handed in.

    files: those handed in with it, whose pictures it may show. Released Markdown is shown
    unchanged.
    """
    cells = repaired(data, release)
    pages = _Pages(files)
    notebook = nodes.notebook()
    notebook.cells = [pages.node(placed) for placed in cells.cells]
    for number, node in enumerate(notebook.cells):
        node.id = f"cell-{number}"
    notebook.metadata["kernelspec"] = dict(release.kernelspec)
    notes = [*cells.notes, *pages.notes]
    return RepairedNotebook(notebook, notes, cells.unreadable, cells.answers, cells.persons)


class _Pages:
    """Makes the cells of one notebook fit to be shown. notes: on pictures that are left out."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._pictures = Pictures(files)
        self._parsed = 0

    @property
    def notes(self) -> Sequence[str]:
        return self._pictures.notes

    def node(self, placed: Placed) -> NotebookNode:
        metadata = {"nbgrader": placed.known.metadata()} if placed.known else {}
        if placed.is_code:
            return nodes.code(placed.source, metadata)
        if not placed.shown:
            return nodes.markdown(placed.source, metadata)
        parts: list[str] = []
        pictures: Attachments = {}
        for cell in placed.shown:
            source, attached = self._pictures.of(cell)
            parts.append(source)
            pictures |= attached
        text = "\n\n".join(parts)
        shown = (
            literal(text) if self._is_literal(placed, text) else harmless_markdown(text, pictures)
        )
        return nodes.markdown(shown, metadata, pictures)

    def _is_literal(self, placed: Placed, text: str) -> bool:
        """Whether text is shown as it is written: a raw cell, and what would take too long."""
        if placed.known is not None:
            return False
        is_raw = placed.shown[0].kind == "raw"
        self._parsed += 0 if is_raw else len(text)
        return is_raw or self._parsed > MAX_MARKDOWN
