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
    part_lines = [f"- {_words(name)}: {'; '.join(part)}." for name, part in parts.items() if part]
    rows = [_plain(row) for row in cast("list[Mapping[str, Any]]", document.get("rows", []))]
    shown, drawn = _table(rows), result_charts.figure(path.stem, rows)
    if len(values) <= MOST_VALUES and len(part_lines) + len(rows) <= MOST_ROWS:
        return [f"{'; '.join([head, *values])}.", "", *drawn, *part_lines, "", *shown]
    size = f": {len(rows)} rows" if rows else ""
    body = [*(f"- {value}" for value in values), *part_lines, "", *shown]
    return [f"{head}.", "", *drawn, *folded("note", f"What it recorded{size}", body)]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    heads = [_words(name) for name in rows[0]]
    return [*table(heads, [[_shown(v) for v in row.values()] for row in rows]), ""]


def _phrases(document: Mapping[str, Any]) -> list[str]:
    return [f"{_words(name)} {_shown(value)}" for name, value in _plain(document).items()]


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if isinstance(v, str | int | float)}


def _words(name: str) -> str:
    return name.replace("_", " ")


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
