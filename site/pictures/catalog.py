"""The pictures of real viewers that lessons show: which file, which part of it, what is marked.

Numbers of the marks count from 1; a page's caption has a sentence for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Element:
    """The nth of the elements in the window, from top to bottom, that the selector finds.

    text: what stands in it, in one of Netron's nodes as its name; "" for anything.
    """

    css: str
    text: str = ""
    nth: int = 0


@dataclass(frozen=True)
class Slices:
    """What lies in one row of Perfetto's timeline.

    source: what follows FROM in a query for ts, dur, depth and track_id.
    """

    source: str


@dataclass(frozen=True)
class Mark:
    """A box around the places, with its number at a side of it: left, right, top or bottom."""

    places: tuple[Element | Slices, ...]
    side: str = "left"


@dataclass(frozen=True)
class Picture:
    """A picture, and how it is taken.

    program: Python that writes `target`, where the module's solved files can be imported.
    size: pixels of the page, across and down; a picture is cropped at its lower end.
    """

    module: str
    name: str
    viewer: str
    suffix: str
    program: str
    marks: tuple[Mark, ...]
    size: tuple[int, int]
    view: str = ""
    """What the viewer shows: the name of a node, a query for the time, a page."""

    first: int = 1
    """The number of its first mark: a caption of two pictures counts on."""

    python: str = "COURSE_PYTHON"
    """The environment variable that names the Python for its program."""

    @property
    def target(self) -> Path:
        """Its file."""
        return ROOT / "curriculum" / self.module / "figures" / f"{self.name}_by_{self.viewer}.png"


def element(css: str, text: str = "", nth: int = 0, side: str = "left") -> Mark:
    """Return a mark of one element."""
    return Mark((Element(css, text, nth),), side)


def nodes(*names: tuple[str, int], side: str = "left") -> Mark:
    """Return one mark of several of Netron's nodes."""
    return Mark(tuple(Element("#canvas .node", name, nth) for name, nth in names), side)


def node(name: str, nth: int = 0, side: str = "left") -> Mark:
    """Return a mark of one of Netron's nodes."""
    return element("#canvas .node", name, nth, side)


def slices(source: str, side: str = "top") -> Mark:
    """Return a mark in one row of Perfetto."""
    return Mark((Slices(source),), side)
