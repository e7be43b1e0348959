"""Each reference pass turns the text of a golden pair into the expected text.

curriculum/<module>/golden/ holds the pairs in the form of LLVM's FileCheck, as xDSL's tests do:
`// RUN:` names functions from text to text in solutions/<module>/, a case is a text followed by the
expected one in `// CHECK:` and `// CHECK-NEXT:`, and `// -----` separates cases. Here the CHECK
lines are all of the result. Lessons quote the same files.
"""

import importlib
import re
from pathlib import Path

import pytest
from tests.curriculum.apart import apart

from hotloop.core import paths

SEPARATOR = "// -----\n"
CHECK = re.compile(r"^// CHECK(?:-NEXT: |:      )(.*)$", re.MULTILINE)
GOLDEN = sorted(paths.curriculum().glob("*/golden/*"))
RUNS = [
    (path, place, run)
    for path in GOLDEN
    for run in re.findall(r"^// RUN: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    for place in range(path.read_text(encoding="utf-8").count(SEPARATOR) + 1)
]
NEEDS = {"mlir_pass": "jaxlib.mlir", "xdsl_pass": "xdsl", "fx_pass": "torch"}


def input_of(case: str) -> str:
    """Return the text that a pass is given: the case without comments and empty lines."""
    lines = [line for line in case.splitlines() if line.strip() and not line.startswith("//")]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("path", "place", "run"), RUNS, ids=lambda value: getattr(value, "stem", None) or str(value)
)
def test_a_pass_makes_the_expected_text(path: Path, place: int, run: str) -> None:
    file, function = run.split(".")
    if file in NEEDS:
        pytest.importorskip(NEEDS[file])
    case = path.read_text(encoding="utf-8").split(SEPARATOR)[place]
    want = CHECK.findall(case)
    assert want, "a case ends with its CHECK lines"
    with apart(paths.solutions() / path.parts[-3]):
        got = getattr(importlib.import_module(file), function)(input_of(case))
        if path.suffix == ".mlir":
            # MLIR and xDSL print the generic form differently.
            pytest.importorskip("xdsl")
            got = str(importlib.import_module("xdsl_pass").read(got))
    assert [line for line in got.splitlines() if line.strip()] == want


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_each_golden_file_says_what_runs(path: Path) -> None:
    assert any(golden == path for golden, _, _ in RUNS)
