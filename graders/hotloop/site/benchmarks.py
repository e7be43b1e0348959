"""The figures of the judge: the scripts under tests/benchmarks and their recorded results.

In any page `{{ benchmark NAME KEY }}` is replaced by a value of `results/NAME.json`; a nested key
is written with a dot.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hotloop.site import result_charts
from hotloop.site.markdown import folded, table
from hotloop.site.runs import NOT_MEASURED
from hotloop.takehome.recorded import FOLDER as CITED
from hotloop.tasks.figures import FigureError

MOST_ROWS = 8
MOST_VALUES = 4
"""The most rows and values that are shown unfolded; a longer result opens on a click."""

_UNITS = {
    "ns": "ns",
    "us": "µs",
    "ms": "ms",
    "s": "s",
    "seconds": "s",
    "min": "min",
    "minutes": "min",
    "kb": "kB",
    "mb": "MB",
    "megabytes": "MB",
    "gb": "GB",
    "px": "px",
}
"""By a word of a result's key."""

_SIZES = {"kB": "size", "MB": "size", "GB": "size", "px": "height"}
"""What a key measures that names nothing but a unit; the others are times."""

_FIGURE = re.compile(r"(?<!`)\{\{\s*benchmark\s+(?P<name>\w+)\s+(?P<key>[\w.]+)\s*\}\}")


def insert(text: str, results: Path, place: str) -> str:
    """Return the page with its figures inserted.

    A benchmark, or a part of one, that was not recorded becomes "not yet measured". Raises
    FigureError if a recorded result lacks the key. place: the page's name, for errors.
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
    """Return one section for each script in tests/benchmarks with a `main`, and its results."""
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
    lines = [f"## {headline}", ""]
    pattern = f"{script.stem}*.json"
    # What candidates' reports cite is a part of the package.
    recorded = sorted(results.glob(pattern)) or sorted(CITED.glob(pattern))
    for path in recorded:
        lines += _recorded(path)
    if not recorded:
        lines += [NOT_MEASURED, ""]
    command = "" if script.name in rest else f"`python tests/benchmarks/{script.name}`\n\n"
    return [*lines, *folded("abstract", "How it is measured", f"{command}{rest}")]


def _recorded(path: Path) -> list[str]:
    """Return one recorded result as Markdown.

    A result holds `device` and `date`, and may hold `rows`, objects with the same keys. Other plain
    values are shown too, and objects of plain values, each on its own line; other lists, such as
    the samples, are not. Raises ValueError if `device` or `date` is missing.
    """
    document = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    for key in ("device", "date"):
        if key not in document:
            raise ValueError(f"{path}: the key {key!r} is missing")
    head = f"Measured on {document['device']}, {document['date']}"
    rest = {name: value for name, value in document.items() if name not in {"device", "date"}}
    values = _phrases(rest)
    parts = {
        name: _phrases(cast("dict[str, Any]", part))
        for name, part in rest.items()
        if isinstance(part, dict)
    }
    part_lines = [f"- {_head(name)}: {'; '.join(part)}." for name, part in parts.items() if part]
    rows = [_plain(row) for row in cast("list[Mapping[str, Any]]", document.get("rows", []))]
    shown, drawn = _table(rows), result_charts.figure(path.stem, rows)
    if len(values) <= MOST_VALUES and len(part_lines) + len(rows) <= MOST_ROWS:
        return [f"{'; '.join([head, *values])}.", "", *drawn, *part_lines, "", *shown]
    size = f": {len(rows)} rows" if rows else ""
    body = [*(f"- {value}" for value in values), *part_lines, "", *shown]
    return [f"{head}.", "", *drawn, *folded("note", f"What it recorded{size}", body)]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table whose rows have names, and whose columns have units; a list for one row.

    A row is named by its first text, else numbered. A value that a row lacks is a dash.
    """
    if len(rows) < 2:
        return [*(f"- {phrase}" for row in rows for phrase in _phrases(row)), ""]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    named = all(isinstance(row.get(keys[0]), str) for row in rows)
    heads = [*([] if named else ["row"]), *(_head(key) for key in keys)]
    cells = [["–" if key not in row else _shown(row[key]) for key in keys] for row in rows]
    names = [[f"**{first}**", *rest] for first, *rest in cells]
    numbered = [[f"**{number}**", *each] for number, each in enumerate(cells, 1)]
    return [*table(heads, names if named else numbered), ""]


def _head(key: str) -> str:
    """Return a column's head: what is measured, and its unit in parentheses."""
    words, unit = _measure(key)
    return f"{words} ({unit})" if unit else words


def _phrases(document: Mapping[str, Any]) -> list[str]:
    """Return each value behind its name, and with its unit."""
    found: list[str] = []
    for key, value in _plain(document).items():
        words, unit = _measure(key)
        found.append(f"{words} {_shown(value)}{f' {unit}' if unit else ''}")
    return found


def _measure(key: str) -> tuple[str, str]:
    """Split a key of a result, such as `waited_p50_min`, into what it says and its unit or ""."""
    words = key.split("_")
    # In `within_10_min` the unit is the 10's, not the value's.
    places = [n for n, word in enumerate(words) if word in _UNITS and not words[n - 1].isdigit()]
    unit = _UNITS[words[places[-1]]] if places else ""
    rest = [word for n, word in enumerate(words) if n not in places]
    if unit and (not rest or rest[0] == "per"):
        rest = [_SIZES.get(unit, "time"), *rest]
    return " ".join(rest), unit


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if isinstance(v, str | int | float)}


def _shown(value: str | float) -> str:
    """Format a value: yes or no for a bool, four significant digits for a float."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _headline(description: str) -> tuple[str, str]:
    """Split off the first question or sentence; return it and the rest."""
    end = re.search(r"[?.:](\s|$)", description)
    if end is None:
        return description.strip(), ""
    headline = description[: end.start() + 1].rstrip(".:")
    return " ".join(headline.split()), description[end.end() :].strip("\n")
