"""The page of the judge's benchmarks: the scripts under tests/benchmarks and their results.

In any page `{{ benchmark NAME KEY }}` becomes a value of `results/NAME.json`; nested keys are
joined with a dot.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hotloop.site import result_charts
from hotloop.site.figures import FigureError
from hotloop.site.markdown import folded, table
from hotloop.site.runs import NOT_MEASURED

MOST_ROWS = 8
MOST_VALUES = 4
"""Most rows and values shown at once; a longer result is folded."""

_FIGURE = re.compile(r"(?<!`)\{\{\s*benchmark\s+(?P<name>\w+)\s+(?P<key>[\w.]+)\s*\}\}")


def insert(text: str, results: Path, place: str) -> str:
    """Return the page with its figures filled in.

    A figure becomes "not yet measured" if its result file, or its first key, does not exist. Raises
    FigureError if a nested key does not exist. place: the page's name, for errors.
    """

    def value(match: re.Match[str]) -> str:
        recorded = results / f"{match['name']}.json"
        part, *keys = match["key"].split(".")
        found: Any = json.loads(recorded.read_text(encoding="utf-8")) if recorded.exists() else {}
        if part not in found:
            return "not yet measured"
        for key in (part, *keys):
            try:
                found = found[key]
            except (KeyError, TypeError):
                raise FigureError(f"{place}: {recorded.name} has no {match['key']}") from None
        return _shown(found)

    return _FIGURE.sub(value, text)


def page(folder: Path) -> str:
    """Return the page: a section per script in tests/benchmarks with a `main`, with its results."""
    lines = [
        "# Figures of the judge",
        "",
        "Each section is a script under `tests/benchmarks/` and what it wrote when it last ran.",
    ]
    for script in sorted(folder.glob("*.py")):
        tree = ast.parse(script.read_text(encoding="utf-8"))
        if not any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            continue
        lines += ["", *_benchmark(script, ast.get_docstring(tree) or "", folder / "results")]
    return "\n".join(lines)


def _benchmark(script: Path, description: str, results: Path) -> list[str]:
    headline, rest = _headline(description)
    lines = [f"## {headline}", "", rest, ""]
    if script.name not in rest:
        lines += [f"`python tests/benchmarks/{script.name}`", ""]
    recorded = sorted(results.glob(f"{script.stem}*.json"))
    if not recorded:
        return [*lines, NOT_MEASURED]
    for path in recorded:
        lines += _recorded(path)
    return lines


def _recorded(path: Path) -> list[str]:
    """Return a result's Markdown.

    A result has `device` and `date`, and may have `rows` of equal keys. Other scalars are shown
    too, also those in nested objects; lists, such as samples, are not. Raises ValueError if
    `device` or `date` is missing.
    """
    document = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    for key in ("device", "date"):
        if key not in document:
            raise ValueError(f"{path}: the key {key!r} is missing")
    head = f"Measured on {document['device']}, {document['date']}"
    rest = {name: value for name, value in document.items() if name not in {"device", "date"}}
    values = _told(rest)
    parts = {
        name: _told(cast("dict[str, Any]", part))
        for name, part in rest.items()
        if isinstance(part, dict)
    }
    told = [f"- {_words(name)}: {'; '.join(part)}." for name, part in parts.items() if part]
    rows = [_plain(row) for row in cast("list[Mapping[str, Any]]", document.get("rows", []))]
    shown, drawn = _table(rows), result_charts.figure(path.stem, rows)
    if len(values) <= MOST_VALUES and len(told) + len(rows) <= MOST_ROWS:
        return [f"{'; '.join([head, *values])}.", "", *drawn, *told, "", *shown]
    size = f": {len(rows)} rows" if rows else ""
    body = [*(f"- {value}" for value in values), *told, "", *shown]
    return [f"{head}.", "", *drawn, *folded("note", f"What it recorded{size}", body)]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    heads = [_words(name) for name in rows[0]]
    return [*table(heads, [[_shown(v) for v in row.values()] for row in rows]), ""]


def _told(document: Mapping[str, Any]) -> list[str]:
    return [f"{_words(name)} {_shown(value)}" for name, value in _plain(document).items()]


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if isinstance(v, str | int | float)}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: str | float) -> str:
    """Return booleans as yes and no, and floats with four significant digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _headline(description: str) -> tuple[str, str]:
    """Split off the first question or sentence as the headline."""
    end = re.search(r"[?.:](\s|$)", description)
    if end is None:
        return description.strip(), ""
    headline = description[: end.start() + 1].rstrip(".:")
    return " ".join(headline.split()), description[end.end() :].strip("\n")
