"""A task of which nothing is written is answered from its files: without a process, or PyTorch."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from hotloop.core import paths
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.files import lay_out
from hotloop.judge.job import Job
from hotloop.judge.reachable_code import reachable_code
from hotloop.judge.stub import stub_record
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.problem import settle
from hotloop.tasks.task_spec import task_spec
from hotloop.verdicts import words

MODULES = curriculum.modules()
per_module = pytest.mark.parametrize("module", MODULES, ids=lambda m: m.id)


def job(module: Module, task: str, folder: Path, **more: Any) -> Job:
    return Job(module.id, task, task_spec(module, task), **{
        "files": str(folder), "notebook": NOTEBOOK, **more
    })  # fmt: skip


def tasks(module: Module) -> list[str]:
    return [task.id for task in module.tasks if task.kind == "code"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An exercise of each kind of file, as it was handed out."""
    for module in ("first_kernels", "ssa_passes", "triton_ensemble", "fused_softmax"):
        shutil.copytree(paths.exercises() / module, tmp_path / module)
    return tmp_path


def record(folder: Path, key: str, **more: Any) -> Record | None:
    module, _, task = key.partition(".")
    return stub_record(job(curriculum.load_module(module), task, folder / module, **more))


@per_module
def test_no_task_of_a_fresh_folder_needs_a_judge(module: Module, tmp_path: Path) -> None:
    shutil.copytree(paths.exercises() / module.id, tmp_path, dirs_exist_ok=True)
    for task in tasks(module):
        judged = stub_record(job(module, task, tmp_path))
        assert judged is not None, task
        assert words.of_task(judged) == "not started"
        score = settle(module, task, judged)
        assert (score.points, score.pending) == (0, 0)


@per_module
@pytest.mark.slow
def test_a_task_that_is_solved_is_no_stub_and_the_others_still_are_not_begun(
    module: Module, tmp_path: Path
) -> None:
    for task in tasks(module):
        own = tmp_path / task
        lay_out(render.solved_in_part(module.id, [task]), own)
        assert stub_record(job(module, task, own)) is None
    for wrong in render.wrong_answers(module.id):
        own = tmp_path / wrong.name
        lay_out(render.submission(module.id, wrong.path), own)
        assert stub_record(job(module, wrong.task, own)) is None


@pytest.mark.slow
def test_answering_starts_nothing_and_imports_no_framework(folder: Path) -> None:
    program = """
import subprocess, sys
from pathlib import Path
from hotloop.judge.client import JudgeProcess
from hotloop.tasks import curriculum, local_judging

def refuse(*_args, **_more): raise AssertionError("a process was started")

local_judging.require_confinement = lambda: "bubblewrap"
subprocess.Popen = refuse
for name in ("first_kernels", "fused_softmax", "triton_ensemble"):
    tasks = [task.id for task in curriculum.load_module(name).tasks if task.kind == "code"]
    records = local_judging.judge_folder(Path(sys.argv[1]) / name, name, tasks)
    assert all(r.sentence.startswith("Not attempted") for r in records.values())
print(sorted({"torch", "triton", "wasmtime", "onnx"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[]\n", done.stderr


# --- what was begun is for the judge --------------------------------------------------------------

AXPY, BIAS, LOWER = "first_kernels.axpy", "first_kernels.bias_gelu", "ssa_passes.lowering"
TRITON, CUDA = "first_kernels/kernels_triton.py", "first_kernels/kernels.cu"
ROOFLINE = "first_kernels.roofline"


def replace(old: str, new: str) -> Callable[[str], str]:
    def edited(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edited


def append(more: str) -> Callable[[str], str]:
    return lambda text: f"{text}\n\n{more}\n"


def prepend(more: str) -> Callable[[str], str]:
    return lambda text: f"{more}\n{text}"


MARK = "### TASK first_kernels.axpy\n"
RAISE = 'raise NotImplementedError("first_kernels.axpy")'


@pytest.mark.parametrize(
    ("key", "file", "edit"),
    [
        (AXPY, TRITON, replace(RAISE, "out.copy_(a * x + y)")),
        (AXPY, TRITON, replace(RAISE, f"out.zero_()\n    {RAISE}")),
        (AXPY, TRITON, replace("pass  # one program, BLOCK elements", "tl.program_id(0)")),
        (AXPY, TRITON, append("def axpy(a, x, y, out):\n    out.copy_(a * x + y)")),
        (AXPY, TRITON, append("def mine(a, x, y, out): ...\n\n\naxpy = mine")),
        (AXPY, TRITON, append("globals()['ax' + 'py'] = torch.add")),
        (AXPY, TRITON, append("exec(open('mine.py').read())")),
        (AXPY, TRITON, append("from mine import *")),
        (AXPY, TRITON, append("from mine import (*)")),
        (AXPY, TRITON, append("import sys\nsys.modules[__name__] = sys")),
        (AXPY, TRITON, replace(MARK, f"@mine\n{MARK}")),
        (AXPY, TRITON, replace("import triton\n", "import other as triton\n")),
        (AXPY, TRITON, prepend("this is no Python")),
        (AXPY, TRITON, lambda _text: ""),
        (BIAS, CUDA, replace("  // One block a row.", "  y[0] = 0;  //")),
        (BIAS, CUDA, replace("int columns) {\n", "int columns) { y[0] = 0;\n")),
        (ROOFLINE, "first_kernels/lab.ipynb", append("def roofline(*_):\n    return 1")),
        (
            ROOFLINE,
            "first_kernels/lab.ipynb",
            replace("raise NotImp", "return 1\n    raise NotImp"),
        ),
        ("triton_ensemble.tune", "triton_ensemble/tuned/bert/config.pbtxt", append("# mine")),
        ("fused_softmax.operator_launcher", "fused_softmax/softmax_op.cu", append("// mine")),
        ("fused_softmax.operator_python", "fused_softmax/softmax_op.py", append("import mine")),
    ],
)
def test_what_may_hold_an_answer_goes_to_the_judge(
    folder: Path, key: str, file: str, edit: Callable[[str], str]
) -> None:
    assert record(folder, key) is not None
    path = folder / file
    if path.suffix == ".ipynb":
        edit_cell(path, key, edit)
    else:
        path.write_text(edit(path.read_text()))
    assert record(folder, key) is None


def edit_cell(path: Path, key: str, edit: Callable[[str], str]) -> None:
    notebook: Any = nbformat.read(path, as_version=4)
    [cell] = [c for c in notebook.cells if c.source.startswith(f"### TASK {key}")]
    cell.source = edit(cell.source)
    nbformat.write(notebook, path)


def test_an_answer_beside_its_stub_is_seen_though_its_check_was_deleted(folder: Path) -> None:
    """The name is written as often as before: once more in the answer, once less in the check."""
    path = folder / "first_kernels" / NOTEBOOK
    notebook: Any = nbformat.read(path, 4)
    kept = [cell for cell in notebook.cells if cell.source != f'check("{ROOFLINE}")']
    assert len(kept) == len(notebook.cells) - 1
    notebook.cells = kept
    nbformat.write(notebook, path)
    assert record(folder, ROOFLINE) is not None
    notebook.cells.insert(1, {**kept[-1], "cell_type": "code", "source": "def roofline(*_): ..."})
    path.write_text(json.dumps(notebook))
    assert record(folder, ROOFLINE) is None


@pytest.mark.parametrize("name", ["kernels_triton.py", "kernels.cu", NOTEBOOK])
def test_a_file_that_is_missing_or_unreadable_goes_to_the_judge(folder: Path, name: str) -> None:
    key = {"kernels_triton.py": AXPY, "kernels.cu": BIAS, NOTEBOOK: ROOFLINE}[name]
    path = folder / "first_kernels" / name
    path.write_bytes(b"\xff" + path.read_bytes())
    assert record(folder, key) is None
    path.unlink()
    assert record(folder, key) is None
    path.symlink_to(paths.exercises() / "first_kernels" / name)
    assert record(folder, key) is None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "-" * 200_000 + "1",
        "not " * 60_000 + "1",
        "a" + ".a" * 100_000,
        "1" + "+1" * 100_000,
        "import" + " " * 250_000,
        "import axpy\n" * 20_000,
        "\n" * 250_000,
        "/*" * 100_000,
        "axpy(" * 50_000,
        "x\0",
        "a" * 300_000,
    ],
)
def test_no_file_is_too_much_to_look_at(folder: Path, text: str) -> None:
    begun = time.monotonic()
    for key, file in ((AXPY, TRITON), (BIAS, CUDA)):
        (folder / file).write_text(text)
        assert record(folder, key) is None
    reachable_code(folder / "first_kernels", Path(TRITON).name)
    assert time.monotonic() - begun < 5


# --- what belongs to others is not ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "file", "edit"),
    [
        ("first_kernels.row_sums", TRITON, replace(RAISE, "out.copy_(a * x + y)")),
        (AXPY, TRITON, replace(RAISE, f"{RAISE}  # tomorrow")),
        (AXPY, TRITON, prepend("import math")),
        (BIAS, CUDA, replace("kTile = 32", "kTile = 16")),
        (BIAS, CUDA, replace("  // One block a row.", "  /* one block a row */ //")),
        (ROOFLINE, "first_kernels/lab.ipynb", append("print(1)")),
    ],
)
def test_a_task_beside_one_that_was_begun_is_not_begun(
    folder: Path, key: str, file: str, edit: Callable[[str], str]
) -> None:
    path = folder / file
    if path.suffix == ".ipynb":
        edit_cell(path, key, edit)
    else:
        path.write_text(edit(path.read_text()))
    judged = record(folder, key)
    assert judged is not None
    assert judged.verdict is Verdict.WRONG_ANSWER


def test_a_take_home_and_an_own_problem_are_always_judged(folder: Path) -> None:
    assert record(folder, AXPY, given={"kernels_triton.py": "0" * 64}) is None
    assert record(folder, AXPY, source=str(folder)) is None
    assert record(folder, AXPY, files=None) is None


def test_only_the_checks_that_are_asked_for_are_answered(folder: Path) -> None:
    judged = record(folder, AXPY, checks=["correct"])
    assert judged is not None
    assert [check.check for check in judged.checks] == ["correct"]
    assert record(folder, AXPY, checks=[]) is None


# --- a running notebook ---------------------------------------------------------------------------


def roofline(flops: float, moved: float) -> None:
    """As a stub, with its own words."""
    raise NotImplementedError("first_kernels.roofline")


@pytest.mark.parametrize(
    ("names", "begun"),
    [
        ({"roofline": roofline}, False),
        ({"roofline": lambda *_: 1}, True),
        ({"roofline": print}, True),
        ({}, True),
    ],
)
def test_what_runs_decides_in_a_notebook(
    folder: Path, names: dict[str, object], begun: bool
) -> None:
    module = curriculum.load_module("first_kernels")
    asked = job(module, "roofline", folder / "first_kernels", notebook=None)
    assert (stub_record(asked, names) is None) is begun
    assert stub_record(asked) is None, "its file may be older"
