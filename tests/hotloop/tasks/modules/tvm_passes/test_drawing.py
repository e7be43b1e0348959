"""The notebook's drawings of a module."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.core import extras, paths

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
    print(passes_drawing.graph(Module, marked=marked).count(passes_drawing.BOXES['marked']['fill']))
"""


NESTED = """
import passes_drawing
tops, heights, end = passes_drawing._stacked([0, 1, 2, 2, 0])
boxes = [(top, top + height) for top, height in zip(tops, heights)]
print(*(low for low, high in boxes[1:4] if boxes[0][0] < low and high < boxes[0][1]))
print(boxes[1][0] < boxes[2][0] < boxes[2][1] < boxes[3][0] < boxes[3][1] < boxes[1][1])
print(boxes[0][1] < boxes[4][0] < boxes[4][1] < end)
"""

PASSING = """
import passes_drawing
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.tanh(a)
            c = R.exp(b)
            d = R.add(c, a)
            R.output(d)
        return d

svg = passes_drawing.graph(Module)
print(svg.count("<rect"), svg.count("<path"))
"""


def drawn(program: str, folder: Path, *arguments: str) -> list[str]:
    """Return the words that a program prints; it runs beside the notebook's files."""
    # TVMScript reads the source of what it parses, so the program must be in a file.
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "program.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(paths.exercises() / "tvm_passes")},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_operators_are_marked_by_any_of_their_names(tmp_path: Path) -> None:
    asked = [["relax.nn.relu"], ["nn.relu"], ["relu"], ["relu", "relax.add"], ["nn.add"]]
    assert drawn(PROGRAM, tmp_path, json.dumps(asked)) == ["1", "1", "1", "2", "0"]


def test_an_edge_goes_around_what_it_passes(tmp_path: Path) -> None:
    """Six boxes: input, four operators, result. Six edges, one of them in three pieces."""
    assert drawn(PASSING, tmp_path) == ["6", "8"]


def test_a_loops_box_holds_all_that_is_inside_of_it(tmp_path: Path) -> None:
    *inside, nested, below = drawn(NESTED, tmp_path)
    assert (len(inside), nested, below) == (3, "True", "True")
