"""How big is the house? Prints what a reviewer counts first.

    python tests/benchmarks/house.py
    python tests/benchmarks/house.py --architecture

Packages at the top of `hotloop`, packages that import each other, code lines of each package, and
code lines of a module's checks for each minute that a learner needs. A code line is a line of
Python that is no blank line, comment, docstring or import. `--architecture` writes the lines of
the packages into the table of ARCHITECTURE.md; tests/docs/test_architecture.py fails when they are
more than a tenth off.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import grimp
import yaml

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "graders" / "hotloop"
MODULES = PACKAGE / "tasks" / "modules"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
ROW = re.compile(r"^\| `(?P<package>\w+)/` \| (?P<lines>[\d.]+k) \|", re.MULTILINE)


def code_lines(path: Path) -> int:
    """Return how many lines of a Python file are code."""
    source = path.read_text(encoding="utf-8")
    other: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            other.update(range(node.lineno, _end(node) + 1))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            other.update(
                line
                for child in node.body
                if isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
                for line in range(child.lineno, _end(child) + 1)
            )
    return sum(
        number not in other and bool(text.strip()) and not text.lstrip().startswith("#")
        for number, text in enumerate(source.splitlines(), start=1)
    )


def _end(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno


def lines_by_package() -> Counter[str]:
    """Return code lines by package at the top of `hotloop`; files beside them count as "."."""
    lines: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        lines[parts[0] if len(parts) > 1 else "."] += code_lines(path)
    return lines


def lines_a_minute() -> dict[str, float]:
    """Return code lines of each module's checks for each minute of module.yaml."""
    return {
        module.name: sum(map(code_lines, module.rglob("*.py"))) / _minutes(module.name)
        for module in sorted(MODULES.iterdir())
        if (module / "tasks.py").is_file()
    }


def _minutes(module: str) -> int:
    text = (ROOT / "curriculum" / module / "module.yaml").read_text(encoding="utf-8")
    return sum(int(task["minutes"]) for task in yaml.safe_load(text)["tasks"])


def packages() -> list[str]:
    """Return the packages at the top of `hotloop`."""
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def circles() -> list[tuple[str, str]]:
    """Return pairs of packages that import each other."""
    graph = grimp.build_graph("hotloop", cache_dir=None)
    pairs = {
        (importer.split(".")[1], imported.split(".")[1])
        for importer in graph.modules - {"hotloop"}
        for imported in graph.find_modules_directly_imported_by(importer) - {"hotloop"}
    }
    return [(a, b) for a, b in combinations(packages(), 2) if {(a, b), (b, a)} <= pairs]


def rounded(lines: int) -> str:
    """Return a number of lines as ARCHITECTURE.md shows it."""
    return f"{lines / 1000:.1f}k"


def with_lines(text: str, lines: Mapping[str, int]) -> str:
    """Return the text of ARCHITECTURE.md with the lines of each package in its table."""
    return ROW.sub(lambda row: f"| `{row['package']}/` | {rounded(lines[row['package']])} |", text)


def main() -> None:
    """Print the figures, or write those of ARCHITECTURE.md."""
    lines = lines_by_package()
    if "--architecture" in sys.argv[1:]:
        text = ARCHITECTURE.read_text(encoding="utf-8")
        ARCHITECTURE.write_text(with_lines(text, lines), encoding="utf-8")
        return
    print(f"packages: {len(packages())}, that import each other: {circles() or 'none'}")
    for package, number in lines.most_common():
        print(f"{number:7,} code lines in {package}")
    print(f"{lines.total():7,} code lines in all")
    for module, number in lines_a_minute().items():
        print(f"{number:7.1f} code lines of checks a learner's minute in {module}")


if __name__ == "__main__":
    main()
