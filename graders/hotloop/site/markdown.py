"""Small pieces of Markdown and HTML that the generated pages are put together from."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Lines = list[str]


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Lines:
    """A table; a cell may hold a vertical bar."""
    lines = [_row(heads), _row(["---"] * len(heads))]
    return [*lines, *(_row(row) for row in rows)]


def folded(kind: str, title: str, body: str | Sequence[str]) -> Lines:
    """What opens by a click. kind: one of the theme's admonitions, such as `tip`."""
    text = body if isinstance(body, str) else "\n".join(body)
    shown = title.replace('"', "”")
    return [f'??? {kind} "{shown}"', "", *indented(text), ""]


def fenced(text: str, language: str = "text") -> Lines:
    """Code that may itself hold fences; leading and trailing empty lines are dropped."""
    mark = "```"
    while mark in text:
        mark += "`"
    return [f"{mark} {{ .{language} }}", *text.strip("\n").split("\n"), mark]


def indented(text: str, by: int = 4) -> Lines:
    """The lines of `text`, moved to the right; empty ones stay empty."""
    return [f"{' ' * by}{line}".rstrip() for line in text.split("\n")]


def prose(*parts: str) -> str:
    """A paragraph that is written in several lines."""
    return " ".join(parts)


def one_line(text: str) -> str:
    """Without line breaks."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """As an HTML element's text, or an attribute's value."""
    return html.escape(one_line(text))


def facts(entries: Iterable[tuple[str, str]]) -> Lines:
    """What is known about a page's subject at a glance; the values are HTML."""
    cells = [f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in entries]
    return ['<dl class="facts">', *cells, "</dl>", ""]


def cards(entries: Iterable[tuple[str, str, str]]) -> Lines:
    """Links with a text, side by side where there is room: title, address, HTML below it."""
    lines = ['<ul class="cards">']
    for title, address, text in entries:
        lines.append(f'<li><a class="card" href="{address}"><strong>{plain(title)}</strong>')
        lines.append(f"<span>{text}</span></a></li>")
    return [*lines, "</ul>", ""]


def steps_of_five(value: int) -> str:
    """A grade of one to five, drawn, and told to those who do not see it."""
    marks = "●" * value + "○" * (5 - value)
    return (
        f'<span class="grade" aria-hidden="true">{marks}</span>'
        f'<span class="unseen">{value} of 5</span>'
    )


def front_matter(entries: Mapping[str, object]) -> Lines:
    """A page's own settings; JSON is YAML."""
    return ["---", *(f"{key}: {json.dumps(value)}" for key, value in entries.items()), "---", ""]


def write(path: Path, text: str | Sequence[str]) -> None:
    """Write a page, with one line break at its end."""
    whole = text if isinstance(text, str) else "\n".join(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{whole.rstrip()}\n", encoding="utf-8")


def fill(path: Path, place: str, text: str | Sequence[str]) -> None:
    """Put `text` where an authored page has the line `place`. ValueError where it has none."""
    page = path.read_text(encoding="utf-8")
    if place not in page:
        raise ValueError(f"{path.name} has no line {place}")
    whole = text if isinstance(text, str) else "\n".join(text)
    write(path, page.replace(place, whole))


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"
