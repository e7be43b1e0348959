"""Gathers the site's pages into build/pages and writes build/mkdocs.yml; mkdocs does the rest.

    python -m hotloop.site

Authored pages come from site/pages/, and from the modules' folders: lessons and what else is there
for readers. Generated are: a page for each module, the recorded figures, and the table of exploits.
Nothing here is measured or judged, and no number is written by hand: what has no recorded run says
"not yet measured".
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop import curriculum, exploits, paths

NOT_MEASURED = "Not yet measured."
EXPLOITS_PLACE = "<!-- exploits-table -->"
RUNS_PLACE = "<!-- recorded-runs -->"
_SETTINGS = "mkdocs.yml"
_LESSON = "lesson.md"
_NOT_FOR_READERS = {"design.md", "README.md"}
_NEEDS: Mapping[curriculum.Need, str] = {
    "serving": "A real Triton Inference Server, once: `hotloop serving install`.",
    "onnx": "ONNX and ONNX Runtime: `pip install 'hotloop[onnx]'`.",
    "tvm": "Apache TVM: `pip install 'hotloop[tvm]'`, or `make setup-compilers` in a clone.",
}


def gather(root: Path | None = None) -> Path:
    """Write build/pages and build/mkdocs.yml below `root`, the clone; returns the latter.

    FileNotFoundError outside of a clone.
    """
    root = root or paths.root()
    source, pages = root / "site", root / "build" / "pages"
    if not (source / _SETTINGS).is_file():
        raise FileNotFoundError(f"no {source / _SETTINGS}: the site is built in a clone")
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(source / "pages", pages)
    _fill(pages / "threat-model.md", EXPLOITS_PLACE, exploits_table())
    _write(pages / "benchmarks.md", benchmarks_page(root / "tests" / "benchmarks"))
    modules = curriculum.modules()
    for module in modules:
        _write_module(pages / "modules" / module.id, module)
    settings = _settings(source / _SETTINGS, root, _navigation(modules))
    target = root / "build" / _SETTINGS
    target.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True))
    return target


# --- modules --------------------------------------------------------------------------------------


def module_page(module: curriculum.Module) -> str:
    """What the module is, its tasks with their rungs, and what was measured."""
    lines = [
        f"# {module.title}",
        "",
        module.summary,
        "",
        f"Track {module.track}, {module.tier}; {module.minutes} minutes, {module.points} points.",
        f"Start with `hotloop start {module.id}`.",
        *_reading(module),
        "",
        f"**Hardware.** With a GPU: {module.hardware.gpu}. Without: {module.hardware.without_gpu}",
        *(line for need in module.needs for line in ("", f"**Needs.** {_NEEDS[need]}")),
        "",
        "## Tasks",
    ]
    for task in module.tasks:
        lines += ["", f"### {task.title}", "", f"`{module.id}.{task.id}`. {task.goal}", ""]
        rungs = [
            (r.id, r.points, "yes" if r.needs_gpu else "", " ".join(r.what.split()))
            for r in task.rungs
        ]
        lines += _table(("rung", "points", "needs a GPU", "what is asked"), rungs)
    lines += ["", "## Measured", "", runs_section(curriculum.runs(module.id))]
    return "\n".join(lines)


def authored_pages(module: curriculum.Module) -> list[Path]:
    """What its folder holds for readers: the lesson first, then the others by name."""
    found = [
        path
        for path in curriculum.folder(module.id).glob("*.md")
        if path.name not in _NOT_FOR_READERS
    ]
    return sorted(found, key=lambda path: (path.name != _LESSON, path.name))


def _reading(module: curriculum.Module) -> list[str]:
    links = [f"[{_page_title(path)}]({path.name})" for path in authored_pages(module)]
    return ["", f"**Read.** {' · '.join(links)}"] if links else []


def _page_title(path: Path) -> str:
    if path.name == _LESSON:
        return "Lesson"
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    if not first.startswith("# "):
        raise ValueError(f"{path}:1: a page begins with its title")
    return first.removeprefix("# ").strip()


def runs_section(runs: Sequence[curriculum.Run], *, speeds_only: bool = False) -> str:
    """The recorded runs, device by device; "not yet measured" where there is none."""
    blocks = [_run_block(run, speeds_only) for run in runs]
    if not any(run.kind == "gpu" for run in runs):
        blocks.append(f"On a GPU: {NOT_MEASURED[0].lower()}{NOT_MEASURED[1:]}")
    return "\n\n".join(blocks)


def _run_block(run: curriculum.Run, speeds_only: bool) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in run.libraries.items())
    driver = f" {run.driver};" if run.driver else ""
    head = f"**{run.device}**, {run.date}, isolation {run.isolation};{driver} {versions}."
    rows = [
        (m.candidate, m.task, m.rung, f"`{m.verdict}`", _ratio(m), _number(m.p50_ms, ".3f"),
         _number(m.fraction_of_limit, ".0%"))
        for m in run.measurements
        if m.ratio or not speeds_only
    ]  # fmt: skip
    heads = ("candidate", "task", "rung", "verdict", "ratio (95 %)", "p50 ms", "of the limit")
    return "\n".join([head, "", *_table(heads, rows)])


def _ratio(m: curriculum.Measurement) -> str:
    if m.ratio is None:
        return ""
    return f"{m.ratio.estimate:.2f} ({m.ratio.low:.2f} to {m.ratio.high:.2f})"


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _write_module(target: Path, module: curriculum.Module) -> None:
    source = curriculum.folder(module.id)
    _write(target / "index.md", module_page(module))
    # A lesson tells speeds; what became of every wrong answer stands on the module's own page.
    speeds = runs_section(curriculum.runs(module.id), speeds_only=True)
    for page in authored_pages(module):
        text = page.read_text(encoding="utf-8")
        _write(target / page.name, text.replace(RUNS_PLACE, speeds))
    for picture in sorted(source.glob("figures/*")):
        if picture.suffix in {".svg", ".png"}:
            (target / "figures").mkdir(exist_ok=True)
            shutil.copyfile(picture, target / "figures" / picture.name)


# --- figures of the judge -------------------------------------------------------------------------


def benchmarks_page(folder: Path) -> str:
    """One section a script in tests/benchmarks that has a `main`, with its recorded result."""
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
    """A result holds `device` and `date`, and may hold `rows`, objects with the same keys.

    Other plain values are told too; lists, such as the samples, are not.
    """
    document = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    for key in ("device", "date"):
        if key not in document:
            raise ValueError(f"{path}: the key {key!r} is missing")
    told = [
        f"{_words(name)} {_shown(value)}"
        for name, value in _plain(document).items()
        if name not in {"device", "date"}
    ]
    head = f"Measured on {document['device']}, {document['date']}"
    lines = [f"{'; '.join([head, *told])}.", ""]
    rows = [_plain(row) for row in cast("list[Mapping[str, Any]]", document.get("rows", []))]
    if not rows:
        return lines
    heads = [_words(name) for name in rows[0]]
    return [*lines, *_table(heads, [[_shown(v) for v in row.values()] for row in rows]), ""]


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if isinstance(v, str | int | float)}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: str | float) -> str:
    """Yes and no for truth values; no more digits than were measured."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _headline(description: str) -> tuple[str, str]:
    """The first question or sentence, and what follows it."""
    end = re.search(r"[?.:](\s|$)", description)
    if end is None:
        return description.strip(), ""
    headline = description[: end.start() + 1].rstrip(".:")
    return " ".join(headline.split()), description[end.end() :].strip("\n")


# --- exploits -------------------------------------------------------------------------------------


def exploits_table() -> str:
    """What each exploit does, where it was seen, and the verdicts that it must get."""
    rows = [
        (
            f"`{e.name}`",
            " ".join(e.description.split("\n\n")[0].split()),
            e.seen_in,
            f"`{e.task}`, {e.rung}",
            ", ".join(f"`{verdict}`" for verdict in e.expect),
            ", ".join(e.marks),
        )
        for e in exploits.load_all()
    ]
    heads = ("exploit", "what it does", "seen in", "attacks", "must get", "needs")
    return "\n".join(_table(heads, rows))


# --- mkdocs ---------------------------------------------------------------------------------------


def _settings(source: Path, root: Path, navigation: list[dict[str, Any]]) -> dict[str, Any]:
    settings = cast("dict[str, Any]", yaml.safe_load(source.read_text(encoding="utf-8")))
    extensions = cast("list[Any]", settings["markdown_extensions"])
    # Code in a lesson is included from the files that run.
    snippets = {"base_path": [str(root)], "check_paths": True, "dedent_subsections": True}
    return settings | {
        "docs_dir": "pages",
        "site_dir": "site",
        "nav": navigation,
        "markdown_extensions": [*extensions, {"pymdownx.snippets": snippets}],
    }


def _navigation(modules: Iterable[curriculum.Module]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for module in modules:
        here = f"modules/{module.id}"
        parts: list[Any] = [f"{here}/index.md"]
        parts += [{_page_title(p): f"{here}/{p.name}"} for p in authored_pages(module)]
        entries.append({module.title: parts})
    return [
        {"Hotloop": "index.md"},
        {"Modules": entries},
        {
            "Teaching": [
                {"A class in JupyterLab": "a-class-in-jupyterlab.md"},
                {"Grading at scale": "grading-at-scale.md"},
            ]
        },
        {
            "The judge": [
                {"How the judge works": "how-the-judge-works.md"},
                {"Threat model": "threat-model.md"},
                {"Figures": "benchmarks.md"},
            ]
        },
    ]


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [_row(heads), _row(["---"] * len(heads))]
    return [*lines, *(_row(row) for row in rows)]


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _fill(path: Path, place: str, text: str) -> None:
    page = path.read_text(encoding="utf-8")
    if place not in page:
        raise ValueError(f"{path.name} has no line {place}")
    _write(path, page.replace(place, text))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    print(gather())
