"""The repository names no machine, no registry, and holds no generated or foreign files."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {
    "a registry's host": r"\b(pypi|npmjs|pythonhosted)\.(org|com)|\bdeb\.debian\.org",
    "a path of one machine": r"/(home/(?!learner\b)|Users/|root/)\w|" + re.escape(str(ROOT)),
    "an index option": r"--(extra-index-url|index-url|find-links|trusted-host)\b",
    "a secret": r"BEGIN [A-Z ]*PRIVATE KEY|\bghp_[A-Za-z0-9]{20}",
}
HOSTILE = ROOT / "tests" / "exploits"
"""What these submissions try to read is no path of ours."""
LARGEST = 3_400_000
"""Bytes. The largest: YOLOv5n's weights, 1.87 million in float16."""


def tracked() -> list[Path]:
    """Files of the repository, those not yet added included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.slow
@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found: list[str] = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if HOSTILE in path.parents:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), start=1)
            if pattern.search(line)
        ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        # Put together here, so that this file passes its own test.
        ("a registry's host", ".".join(("see pypi", "org"))),
        ("a path of one machine", f"open('{ROOT}/x')"),
        ("a path of one machine", "/".join(("cd ", "home", "somebody"))),
        ("an index option", "pip install " + "--" + "index-url x"),
    ],
)
def test_the_patterns_find_what_they_are_for(what: str, line: str) -> None:
    assert re.search(FORBIDDEN[what], line)


def test_nothing_generated_or_huge_is_tracked() -> None:
    names = [path.relative_to(ROOT) for path in tracked()]
    assert names
    generated = {"build", "dist", ".venv", "__pycache__", ".ipynb_checkpoints"}
    assert not [name for name in names if generated & set(name.parts)]
    assert not [path for path in tracked() if path.stat().st_size > LARGEST]
    assert not [name for name in names if name.name == "gradebook.db"]


@pytest.mark.slow
def test_links_stay_inside() -> None:
    assert all(path.resolve().is_relative_to(ROOT) for path in tracked())


def test_the_package_tests_is_ours_also_beside_wheels_that_bring_another_one() -> None:
    assert importlib.import_module("tests").__file__ == str(ROOT / "tests" / "__init__.py")
