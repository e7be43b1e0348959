"""Small pieces of Markdown and HTML from which the generated pages are assembled."""

import html
import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Lines = list[str]

NOT_SEARCHED: Mapping[str, object] = {"search": {"exclude": True}}
"""In a page's front matter: other pages say the same, and the search finds those."""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Lines:
    """Return a table; a vertical bar in a cell is escaped."""
    lines = [_row(heads), _row(["---"] * len(heads))]
    return [*lines, *(_row(row) for row in rows)]


def folded(kind: str, title: str, body: str | Sequence[str]) -> Lines:
    """Return a block that opens on a click. kind: one of the theme's admonitions, such as `tip`."""
    text = body if isinstance(body, str) else "\n".join(body)
    shown = title.replace('"', "”")
    return [f'??? {kind} "{shown}"', "", *textwrap.indent(text, "    ").split("\n"), ""]


def fenced(text: str, language: str = "text") -> Lines:
    """Return a code block; the code may contain fences. Empty lines at its ends are dropped."""
    mark = "```"
    while mark in text:
        mark += "`"
    return [f"{mark} {{ .{language} }}", *text.strip("\n").split("\n"), mark]


def prose(*parts: str) -> str:
    """Join the parts of a paragraph with spaces."""
    return " ".join(parts)


def one_line(text: str) -> str:
    """Replace line breaks and runs of spaces by single spaces."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """Escape `text`, on one line, as an HTML element's text or an attribute's value."""
    return html.escape(one_line(text))


def facts(entries: Iterable[tuple[str, str]]) -> Lines:
    """Return a list of (name, value) facts about a page's subject; the values are HTML."""
    cells = [f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in entries]
    return ['<dl class="facts">', *cells, "</dl>", ""]


def cards(entries: Iterable[tuple[str, str, str]]) -> Lines:
    """Return links with a text, side by side if there is room.

    entries: title, address, and the HTML below the title.
    """
    lines = ['<ul class="cards">']
    for title, address, text in entries:
        lines.append(f'<li><a class="card" href="{address}"><strong>{plain(title)}</strong>')
        lines.append(f"<span>{text}</span></a></li>")
    return [*lines, "</ul>", ""]


def steps_of_five(value: int) -> str:
    """Draw a grade from 1 to 5, with a text for screen readers."""
    marks = "●" * value + "○" * (5 - value)
    return (
        f'<span class="grade" aria-hidden="true">{marks}</span>'
        f'<span class="unseen">{value} of 5</span>'
    )


def front_matter(entries: Mapping[str, object]) -> Lines:
    """Return a page's own settings as YAML front matter; the values are written as JSON."""
    return ["---", *(f"{key}: {json.dumps(value)}" for key, value in entries.items()), "---", ""]


def write(path: Path, text: str | Sequence[str]) -> None:
    """Write a page that ends with exactly one line break; make its folder if needed."""
    whole = text if isinstance(text, str) else "\n".join(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{whole.rstrip()}\n", encoding="utf-8")


def fill(path: Path, place: str, text: str | Sequence[str]) -> None:
    """Replace the line `place` of a hand-written page by `text`.

    Raises ValueError if the page has no such line.
    """
    page = path.read_text(encoding="utf-8")
    if place not in page:
        raise ValueError(f"{path.name} has no line {place}")
    whole = text if isinstance(text, str) else "\n".join(text)
    write(path, page.replace(place, whole))


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"
