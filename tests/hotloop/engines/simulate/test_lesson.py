"""Output of the notebook's cells about kernels and operators, before and after they are written."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.engines.simulate.lesson import compare_operators, show_traffic, try_operator
from hotloop.tasks import render

MODULE = "fused_softmax"
OPERATORS = ("softmax_op.py", "softmax_op_triton.py")


def laid_out(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def untouched(tmp_path: Path) -> Path:
    return laid_out(tmp_path, render.untouched(MODULE))


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    return laid_out(tmp_path, render.submission(MODULE))


def compared(folder: Path) -> dict[str, list[str]]:
    """Return the cells of each row, by input."""
    lines = repr(compare_operators(*(str(folder / name) for name in OPERATORS))).splitlines()
    return {line[:18].strip(): line[18:].split("  ") for line in lines[2:-1]}


@pytest.mark.slow
def test_an_empty_kernel_moves_nothing(untouched: Path) -> None:
    shown = show_traffic(str(untouched / "softmax.cu"), "softmax_naive", rows=4, columns=32)
    assert "softmax_naive reads and writes no memory yet." in shown._repr_html_()
    assert "<table" not in shown._repr_html_()


@pytest.mark.slow
def test_a_kernel_has_a_table_and_a_picture(reference: Path) -> None:
    shown = show_traffic(str(reference / "softmax.cu"), "softmax_naive", rows=64, columns=64)
    html = shown._repr_html_()
    assert "uncoalesced: moves 8.0× the requested bytes" in html
    assert "<svg" in html


WRONG = """\
__global__ void f(const float* x, float* y, int rows, int columns) {
  y[rows * columns + threadIdx.x] = x[threadIdx.x];
}
"""


@pytest.mark.slow
def test_a_kernel_that_is_wrong_has_its_fault_and_no_figures(
    source: Callable[..., Path], tmp_path: Path
) -> None:
    path = source(WRONG)
    html = show_traffic(str(path), "f", rows=4, columns=64)._repr_html_()
    told = (
        "program.cu:2: Out-of-bounds write of 4 bytes, "
        "just past the end of the array of 1024 bytes `y`."
    )
    assert told in html
    assert "<table" not in html
    assert list(tmp_path.iterdir()) == [path], "nothing is written beside the learner's file"


@pytest.mark.slow
def test_a_kernel_that_writes_its_input(source: Callable[..., Path]) -> None:
    line = "const_cast<float*>(x)[threadIdx.x] = 2;"
    path = source(WRONG.replace("y[rows * columns + threadIdx.x] = x[threadIdx.x];", line))
    assert repr(show_traffic(str(path), "f", rows=4, columns=64)).startswith("Writes to `x`")


@pytest.mark.slow
def test_what_cannot_be_launched_says_why(source: Callable[..., Path]) -> None:
    path = str(source(WRONG))
    assert "there is no kernel `g`" in repr(show_traffic(path, "g", rows=4, columns=64))
    path = str(source(WRONG.replace("columns)", "columns", 1)))
    assert "program.cu:1:67: error: " in repr(show_traffic(path, "f", rows=4, columns=64))


def test_without_the_simulator_there_is_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, source: Callable[..., Path]
) -> None:
    monkeypatch.setattr(extras, "missing", lambda _extra: ("ziglang",))
    shown = repr(show_traffic(str(source(WRONG)), "f", rows=4, columns=64))
    assert shown.endswith("-m pip install 'hotloop[cuda]'")


@pytest.mark.slow
def test_operators_that_are_not_there_are_named_as_such(untouched: Path) -> None:
    rows = compared(untouched)
    assert len(rows) == 7
    for cells in rows.values():
        assert [cell.strip() for cell in cells if cell] == ["not written yet"] * 2
    said = repr(try_operator(str(untouched / "softmax_op.py")))
    assert "test_schema: fails, RuntimeError" in said
    assert "softmax_forward is not written yet" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_operators_beside_each_other(reference: Path) -> None:
    rows = {label: [c.strip() for c in cells if c] for label, cells in compared(reference).items()}
    assert rows["rows of -inf"] == ["0, not nan", "0, not nan"]
    assert rows["bfloat16"][0] == "refused"
    assert all(cell.endswith(" apart") for cell in rows["4 x 777"])
    said = repr(try_operator(str(reference / "softmax_op.py"))).splitlines()
    assert len(said) == 4
    assert all(line.endswith(": success") for line in said)
