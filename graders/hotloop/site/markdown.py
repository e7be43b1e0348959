"""Helpers that generate Markdown and HTML for pages."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Lines = list[str]


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Lines:
    """A table; cells may contain vertical bars."""
    lines = [_row(heads), _row(["---"] * len(heads))]
    return [*lines, *(_row(row) for row in rows)]


def folded(kind: str, title: str, body: str | Sequence[str]) -> Lines:
    """A folded block. kind: one of the theme's admonitions, such as `tip`."""
    text = body if isinstance(body, str) else "\n".join(body)
    shown = title.replace('"', "”")
    return [f'??? {kind} "{shown}"', "", *indented(text), ""]


def fenced(text: str, language: str = "text") -> Lines:
    """A code block whose text may contain fences; leading and trailing empty lines are dropped."""
    mark = "```"
    while mark in text:
        mark += "`"
    return [f"{mark} {{ .{language} }}", *text.strip("\n").split("\n"), mark]


def indented(text: str, by: int = 4) -> Lines:
    """Indent the lines of `text` by spaces; empty ones stay empty."""
    return [f"{' ' * by}{line}".rstrip() for line in text.split("\n")]


def prose(*parts: str) -> str:
    """Join the parts of a paragraph with spaces."""
    return " ".join(parts)


def one_line(text: str) -> str:
    """Replace whitespace and line breaks by single spaces."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """Escape text for an HTML element or attribute."""
    return html.escape(one_line(text))


def facts(entries: Iterable[tuple[str, str]]) -> Lines:
    """A list of key facts of a page's subject; the values are HTML."""
    cells = [f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in entries]
    return ['<dl class="facts">', *cells, "</dl>", ""]


def cards(entries: Iterable[tuple[str, str, str]]) -> Lines:
    """Links with a text, in columns: (title, address, HTML below the title)."""
    lines = ['<ul class="cards">']
    for title, address, text in entries:
        lines.append(f'<li><a class="card" href="{address}"><strong>{plain(title)}</strong>')
        lines.append(f"<span>{text}</span></a></li>")
    return [*lines, "</ul>", ""]


def steps_of_five(value: int) -> str:
    """A grade of one to five as dots, with a text for screen readers."""
    marks = "●" * value + "○" * (5 - value)
    return (
        f'<span class="grade" aria-hidden="true">{marks}</span>'
        f'<span class="unseen">{value} of 5</span>'
    )


def front_matter(entries: Mapping[str, object]) -> Lines:
    """A page's own settings. The values are JSON, which is valid YAML."""
    return ["---", *(f"{key}: {json.dumps(value)}" for key, value in entries.items()), "---", ""]


def write(path: Path, text: str | Sequence[str]) -> None:
    """Write a page that ends with one line break; creates its folder."""
    whole = text if isinstance(text, str) else "\n".join(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{whole.rstrip()}\n", encoding="utf-8")


def fill(path: Path, place: str, text: str | Sequence[str]) -> None:
    """Replace the marker `place` of a hand-written page. Raises ValueError if the page has none."""
    page = path.read_text(encoding="utf-8")
    if place not in page:
        raise ValueError(f"{path.name} has no line {place}")
    whole = text if isinstance(text, str) else "\n".join(text)
    write(path, page.replace(place, whole))


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"
