"""Each reference turns the text of a golden pair into the expected text.

curriculum/<module>/golden/ holds the pairs in the form of LLVM's FileCheck, as xDSL's tests do:
`// RUN:` names a function in solutions/<module>/ of a text, or of a file's path with `%s`. A case
is the text, followed by the expected one in `// CHECK:` and `// CHECK-NEXT:`, and `// -----`
separates cases. The CHECK lines are all of the result; data is shown as JSON, and of TVM's modules
only lines and spaces may be set otherwise than TVM prints them. Lessons quote the same files.
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
    "accelerator": "tvm",
    "donation": "jax",
    "fx_pass": "torch",
    "mlir_pass": "jaxlib.mlir",
    "relax_pass": "tvm",
    "tir_pass": "tvm",
    "xdsl_pass": "xdsl",
}


LEAVE_THEIR_RESULT = {"relax_pass", "tir_pass"}
"""Files of passes that find nothing more to do in what they returned."""


def input_of(case: str) -> str:
    """Return the text that is given: the case without comments and empty lines."""
    given = [line for line in lines(case) if not line.startswith("//")]
    return "".join(f"{line}\n" for line in given)


def tvm_module(text: str) -> Any:
    """Return TVM's module of its text; a single function is its "main"."""
    import tvm
    from tvm.script import from_source

    parsed = from_source(text)
    return parsed if isinstance(parsed, tvm.IRModule) else tvm.IRModule({"main": parsed})


def as_text(result: Any, file: str) -> str:
    """Return a result as the CHECK lines show it."""
    if NEEDS.get(file) == "tvm":
        return result.script()
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
    checks = CHECK.findall(case)
    assert checks, "a case ends with its CHECK lines"
    want = "\n".join(checks)
    given: Any = input_of(case)
    if NEEDS.get(file) == "tvm":
        given, want = tvm_module(given), tvm_module(want).script()
    if as_file:
        written = tmp_path / path.name
        written.write_text(given, encoding="utf-8")
        given = str(written)
    module = path.parts[-3]
    with apart(paths.solutions() / module, paths.exercises() / module):
        reference = getattr(importlib.import_module(file), function)
        result = reference(given)
        assert lines(as_text(result, file)) == lines(want)
        if file in LEAVE_THEIR_RESULT:
            assert lines(as_text(reference(result), file)) == lines(want)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parts[-3]}.{path.stem}")
def test_each_golden_file_says_what_runs(path: Path) -> None:
    assert RUN.search(path.read_text(encoding="utf-8"))
