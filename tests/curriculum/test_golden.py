"""Each reference turns the text of a golden pair into the expected text.

curriculum/<module>/golden/ holds the pairs in the form of LLVM's FileCheck, as xDSL's tests do:
`// RUN:` names a function in solutions/<module>/ of a text, or of a file's path with `%s`. A case
is the text, followed by the expected one in `// CHECK:` and `// CHECK-NEXT:`, and `// -----`
separates cases. The CHECK lines are all of the result; data is shown as JSON. Lessons quote the
same files.
"""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.curriculum.apart import apart

from hotloop.core import paths

SEPARATOR = "// -----\n"
CHECK = re.compile(r"^// CHECK(?:-NEXT: |:      )(.*)$", re.MULTILINE)
RUN = re.compile(r"^// RUN: (\w+)\.(\w+)( %s)?$", re.MULTILINE)
GOLDEN = sorted(paths.curriculum().glob("*/golden/*"))
RUNS = [
    pytest.param(path, place, *run, id=f"{path.parts[-3]}.{path.stem}.{place}.{run[0]}")
    for path in GOLDEN
    for run in RUN.findall(path.read_text(encoding="utf-8"))
    for place in range(path.read_text(encoding="utf-8").count(SEPARATOR) + 1)
]
NEEDS = {
    "donation": "jax",
    "fx_pass": "torch",
    "mlir_pass": "jaxlib.mlir",
    "xdsl_pass": "xdsl",
}


def input_of(case: str) -> str:
    """Return the text that is given: the case without comments and empty lines."""
    lines = [line for line in case.splitlines() if line.strip() and not line.startswith("//")]
    return "".join(f"{line}\n" for line in lines)


def as_text(result: Any, file: str) -> str:
    """Return a result as the CHECK lines show it."""
    if not isinstance(result, str):
        return json.dumps(result, indent=2)
    if file == "mlir_pass":
        # MLIR and xDSL print the generic form differently.
        pytest.importorskip("xdsl")
    if file in ("mlir_pass", "xdsl_pass"):
        return str(importlib.import_module("xdsl_pass").read(result))
    return result


@pytest.mark.parametrize(("path", "place", "file", "function", "as_file"), RUNS)
def test_a_reference_gives_the_expected_text(
    path: Path, place: int, file: str, function: str, as_file: str, tmp_path: Path
) -> None:
    if file in NEEDS:
        pytest.importorskip(NEEDS[file])
    case = path.read_text(encoding="utf-8").split(SEPARATOR)[place]
    want = CHECK.findall(case)
    assert want, "a case ends with its CHECK lines"
    given = input_of(case)
    written = tmp_path / path.name
    written.write_text(given, encoding="utf-8")
    with apart(paths.solutions() / path.parts[-3]):
        reference = getattr(importlib.import_module(file), function)
        got = as_text(reference(str(written) if as_file else given), file)
    assert [line for line in got.splitlines() if line.strip()] == want


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parts[-3]}.{path.stem}")
def test_each_golden_file_says_what_runs(path: Path) -> None:
    assert RUN.search(path.read_text(encoding="utf-8"))
