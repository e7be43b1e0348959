"""A problem of a public set as a task; called by the `tasks.py` that `forms.write` makes."""

import json
from pathlib import Path
from typing import Any

from hotloop.author.external import PROGRAMS, Who
from hotloop.author.external.checks import KINDS, Agrees
from hotloop.author.external.forms import OWN
from hotloop.author.external.on_gpu import FastOnGpu, RightOnGpu
from hotloop.author.external.own_work.check import OwnKernels, forbidden
from hotloop.judge.program import Program
from hotloop.judge.task import TaskChecks, returns_tensor


def kernelbench(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem in the folder's `problem.py`."""
    return _task(folder, "kernelbench", KINDS, "eager", graded=graded)


def gpu_mode(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem with `reference.py` and tests in the folder."""
    return _checks_itself(folder, "gpu_mode", graded=graded)


def flashinfer(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem with `definition.json` and workloads in the folder."""
    return _checks_itself(folder, "flashinfer", graded=graded)


def kernelbench_hard(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem with `reference.py` and its shapes in the folder."""
    return _checks_itself(folder, "kernelbench_hard", graded=graded)


def leetgpu(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem with `challenge.py` in the folder."""
    return _checks_itself(folder, "leetgpu", graded=graded)


def robust_kbench(folder: Path, *, graded: bool) -> TaskChecks:
    """Return the task of the problem with `problem.py` and its calls in the folder."""
    kinds = tuple(str(test["kind"]) for test in _tests(folder))
    return _task(folder, "robust_kbench", kinds, "eager", graded=graded)


def _checks_itself(folder: Path, form: str, *, graded: bool) -> TaskChecks:
    kinds = ("given",) * len(_tests(folder))
    return _task(folder, form, kinds, "problem", graded=graded)


def _tests(folder: Path) -> list[Any]:
    return json.loads((folder / "hotloop_tests.json").read_text(encoding="utf-8"))


def _task(folder: Path, form: str, kinds: tuple[str, ...], who: Who, *, graded: bool) -> TaskChecks:
    ours = {path.name: path for path in PROGRAMS.glob("*.py") if path.stem != "hotloop_adapter"}
    ours["hotloop_form.py"] = ours.pop(f"hotloop_{form}.py")
    beside = {path.name: path for path in folder.iterdir() if path.is_file()}
    program = Program({**beside, **ours}, "hotloop_oracle.py")
    own = (
        {}
        if graded
        else {OWN: OwnKernels(program, kinds[0], who, forbidden(folder), instrumented=True)}
    )
    return returns_tensor(
        correct=Agrees(program, kinds, who, graded),
        **own,
        gpu_correct=RightOnGpu(program, kinds, who),
        gpu_fast=FastOnGpu(program, kinds, who, "eager"),
        gpu_fast_compiled=FastOnGpu(program, kinds, who, "compiled"),
    )
