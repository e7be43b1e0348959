"""What ARCHITECTURE.md counts: files on the way of a submission, and lines of each package."""

import ast
import re
from collections.abc import Collection
from pathlib import Path

import pytest
from tests.benchmarks import house

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "graders" / "hotloop" / "course"
MOST = 12


def listed() -> list[str]:
    """Return the files of the table."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    _, _, after = text.partition("On its way from hand-in to page it passes")
    table = re.search(r"(?:^\|.*\n)+", after, re.MULTILINE)
    assert table is not None
    return re.findall(r"^\| `([\w/]+\.py)` \|", table[0], re.MULTILINE)


def imported(file: str) -> set[str]:
    """Return the modules of `course` that a file imports, as paths."""
    tree = ast.parse((COURSE / file).read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hotloop.course"):
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {str(name).removeprefix("hotloop.course.").replace(".", "/") for name in names}
    return {f"{name}.py" for name in found}


def reached(files: Collection[str]) -> set[str]:
    """Return the files that the first one is connected with by imports, in either direction."""
    near = {file: imported(file) & set(files) for file in files}
    found, left = set[str](), [next(iter(files))]
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += [*near[file], *(other for other in files if file in near[other])]
    return found


def test_a_submission_passes_at_most_twelve_files_that_exist() -> None:
    files = listed()
    assert 8 <= len(files) <= MOST
    assert [file for file in files if not (COURSE / file).is_file()] == []


def test_the_files_are_one_way() -> None:
    files = listed()
    assert reached(files) == set(files)
    assert reached([*files, "classroom.py"]) == set(files)


def test_lines_of_each_package_are_within_a_tenth() -> None:
    counted = house.lines_by_package()
    table = {
        row["package"]: float(row["lines"].removesuffix("k"))
        for row in house.ROW.finditer((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    }
    assert sorted(table) == house.packages()
    for package, thousands in table.items():
        assert thousands == pytest.approx(counted[package] / 1000, rel=0.1, abs=0.05), (
            "python tests/benchmarks/house.py --architecture"
        )


def test_no_packages_import_each_other_but_the_worker_and_its_loader_of_operators() -> None:
    """`worker/serve.py` loads `engines/simulate/extension.py`, the candidate's own side of it."""
    assert house.circles() == [("engines", "worker")]
