"""SVG drawings that use the page's colors, so that they work in its light and dark schemes.

A drawing is 360 units wide, the width of a phone, with font sizes of 10 or more: it is never scaled
down. Its description holds the same content as text, for screen readers.
"""

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 360
SIZE = 11
LINE = 14
_PER_LETTER = 0.56
"""Average width of a letter, in units of the font size."""

COLOURS = (
    "var(--hot, #d55e00)",
    "var(--cool, #56b4e9)",
    "var(--leaf, #009e73)",
    "var(--plum, #cc79a7)",
)
"""Distinguishable in both color schemes and with color blindness; defined in the style sheet.

The fallback colors, and the attributes beside classes, are for drawings outside the site.
"""


def letters(width: float, size: float = SIZE) -> int:
    """Return how many letters fit into `width`."""
    return max(int(width / (size * _PER_LETTER)), 4)


def wrapped(words: str, width: float, size: float = SIZE) -> list[str]:
    """Return the lines of `words` wrapped to a width.

    Only words that are far too long are split.
    """
    most = letters(width, size)
    longest = max((len(word) for word in words.split()), default=0)
    if most < longest <= most + 2:
        most = longest
    return textwrap.wrap(words, most) or [""]


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float = SIZE,
    anchor: str = "start",
    css: str = "",
    turned: float = 0,
) -> str:
    """One line of text. anchor: start, middle or end. turned: rotation in degrees."""
    more = f' class="{css}"' if css else ""
    if anchor != "start":
        more += f' text-anchor="{anchor}"'
    if turned:
        more += f' transform="rotate({turned:g} {x:g} {y:g})"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{more}>{html.escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str = "faint") -> str:
    """A straight line."""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        f' stroke="currentColor" class="{css}"/>'
    )


def rectangle(
    x: float, y: float, width: float, height: float, css: str = "box", fill: str = ""
) -> str:
    """A rectangle with slightly round corners."""
    more = f' style="fill:{fill}"' if fill else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"'
        f' fill="none" stroke="currentColor" class="{css}"{more}/>'
    )


def dot(x: float, y: float, radius: float, fill: str, title: str = "") -> str:
    """A disc with a tooltip `title`."""
    told = f"<title>{html.escape(title)}</title>" if title else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" style="fill:{fill}">{told}</circle>'


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A curved arrow from one box down to another."""
    middle = (y1 + y2) / 2
    path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2 - 5:.1f}"
    tip = f"{x2 - 4:.1f},{y2 - 6:.1f} {x2 + 4:.1f},{y2 - 6:.1f} {x2:.1f},{y2:.1f}"
    edge = f'<path d="{path}" fill="none" stroke="currentColor" class="edge"/>'
    return f'{edge}<polygon points="{tip}" class="tip"/>'


def drawing(height: float, parts: Sequence[str], title: str, description: str) -> list[str]:
    """Return the whole SVG, without an empty line, so that Markdown keeps it in one block."""
    told = " ".join(html.escape(f"{title}. {description}", quote=True).split())
    size = f'viewBox="0 0 {WIDTH} {height:g}"'
    return [
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" {size} role="img"',
        f'aria-label="{told}">',
        *parts,
        "</svg>",
    ]


def figure(picture: Sequence[str], caption: str) -> list[str]:
    """Return a figure with a caption, which is HTML."""
    return ["<figure>", *picture, f"<figcaption>{caption}</figcaption>", "</figure>", ""]


@dataclass(frozen=True)
class Box:
    """A rectangle with text in it, and the end points of its arrows."""

    x: float
    y: float
    width: float
    lines: tuple[str, ...]
    css: str = "box"

    @property
    def height(self) -> float:
        """Height for its number of lines."""
        return len(self.lines) * LINE + 12

    @property
    def top(self) -> tuple[float, float]:
        """Where an incoming arrow ends."""
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        """Where an outgoing arrow begins."""
        return self.x + self.width / 2, self.y + self.height

    def drawn(self) -> list[str]:
        """Return it as SVG."""
        parts = [rectangle(self.x, self.y, self.width, self.height, self.css)]
        for number, words in enumerate(self.lines):
            y = self.y + 6 + LINE * number + SIZE - 1
            parts.append(text(self.x + 8, y, words, css=f"in-{self.css}"))
        return parts
