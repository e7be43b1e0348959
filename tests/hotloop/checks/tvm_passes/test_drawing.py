"""The pictures that the notebook draws of a module."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop import extras, paths

pytestmark = pytest.mark.skipif(
    bool(extras.missing("tvm")), reason="the optional group tvm is not installed"
)

PROGRAM = """
import json, sys
import passes_drawing
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.add(a, x)
            R.output(b)
        return b

for marked in json.loads(sys.argv[1]):
    print(passes_drawing.graph(Module, marked=marked).count('class="marked"'))
"""


def test_operators_are_marked_by_any_of_their_names(tmp_path: Path) -> None:
    asked = [["relax.nn.relu"], ["nn.relu"], ["relu"], ["relu", "relax.add"], ["nn.add"]]
    # TVMScript reads the source of what it parses: the program has to lie in a file.
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py", json.dumps(asked)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(paths.exercises() / "tvm_passes")},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.stdout.split() == ["1", "1", "1", "2", "0"], done.stderr
