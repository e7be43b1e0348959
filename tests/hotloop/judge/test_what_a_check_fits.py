"""Every exported check, in every kind of task: it is taken where it fits, and refused elsewhere.

A check that calls a function in another way than the task says can only give wrong verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.raised_at import places
from hotloop.judge.check import FunctionCheck
from hotloop.judge.oracle import OracleFunction
from hotloop.judge.task import TaskChecks
from hotloop.tasks import authoring as hl

TENSORS = {"returns_tensor", "fills_tensor"}
CUDA = {"cuda_kernel", "cuda_kernel without a launcher"}
ANY = {"returns_data", *TENSORS, "operator", *CUDA}

TASKS: dict[str, Callable[..., TaskChecks]] = {
    "returns_data": hl.returns_data,
    "returns_tensor": hl.returns_tensor,
    "fills_tensor": hl.fills_tensor,
    "operator": hl.operator,
    "cuda_kernel": partial(hl.cuda_kernel, Path("launcher.cu")),
    "cuda_kernel without a launcher": hl.cuda_kernel,
}


def _nothing(*_arguments: object) -> Any:
    """Return nothing to ask: no check is judged here."""
    return ()


def _never(*_arguments: object) -> Any:
    """Return what no test reads."""
    raise AssertionError


TRUTH = hl.Truth(_nothing, _never, hl.Tolerance(0, 0))
TIMED = hl.matrices(8, 8, _never, hl.Tolerance(0, 0))
ON_GPU = hl.DeviceWorkload(_never, _nothing, _never, _never)
BASELINE = hl.Baseline("baseline.py", "f")
ORACLE = OracleFunction(hl.Oracle({"f.py": Path("f.py")}, "f.py"), "f", _never)
LAUNCH = hl.CudaLaunch(("x", "y"))
CALLS = hl.TritonKernelCalls(TRUTH, _never)
RECORDED = hl.RecordedCalls(hl.Correct(TRUTH), "operations")


CHECKS: dict[str, tuple[hl.Check, set[str]]] = {
    "Answers": (hl.Answers(_nothing), {"returns_data"}),
    "Assertions": (hl.Assertions(_nothing, "Good."), ANY),
    "Batches": (hl.Batches(_never, _never, "m", 4.0), {"returns_data"}),
    "Check": (hl.Check(), ANY),
    "Correct": (hl.Correct(TRUTH), {*TENSORS, "operator"}),
    "Correct, InSimulator": (hl.Correct(TRUTH, on=hl.InSimulator(LAUNCH)), CUDA),
    "Correct, OnGpu": (
        hl.Correct(TRUTH, on=hl.OnGpu()),
        {*TENSORS, "operator", "cuda_kernel"},
    ),
    "Correct, OnGpuFromHost": (hl.Correct(TRUTH, on=hl.OnGpuFromHost()), TENSORS),
    "Correct, OnGpuFromHost of a file": (
        hl.Correct(TRUTH, on=hl.OnGpuFromHost(entrant=_never)),
        ANY,
    ),
    "CorrectOrRaises": (hl.CorrectOrRaises(TRUTH), {*TENSORS, "operator"}),
    "CudaClean": (hl.CudaClean(LAUNCH, TRUTH), CUDA),
    "CudaCompiles": (hl.CudaCompiles(block=128), CUDA),
    "CudaTraffic": (hl.CudaTraffic(LAUNCH, TRUTH, _never), CUDA),
    "Diagnosis": (
        hl.Diagnosis(Path("key.json"), "run", (hl.DiagnosisWord("cause", "not {}"),)),
        {"returns_data"},
    ),
    "Fast": (hl.Fast(TIMED, BASELINE), TENSORS),
    "Fast of a file": (hl.Fast(TIMED, BASELINE, entrant=_never), ANY),
    "GpuFast": (hl.GpuFast(ON_GPU, BASELINE), {*TENSORS, "operator", "cuda_kernel"}),
    "GpuFastFromHost": (hl.GpuFastFromHost(TIMED, BASELINE, ORACLE, _never), TENSORS),
    "HiddenAnswers": (hl.HiddenAnswers(_nothing), {"returns_data"}),
    "OnePass": (hl.OnePass(RECORDED), {"returns_tensor"}),
    "RaisesError": (hl.RaisesError(_nothing), {*TENSORS, "operator"}),
    "RaisesErrorForData": (hl.RaisesErrorForData(_nothing), {"returns_data"}),
    "RecordedCalls": (RECORDED, TENSORS),
    "ServedFast": (
        hl.ServedFast(
            _never,
            _never,
            _never,
            limit_s=_never,
            clients=16,
            requests=256,
        ),
        {"returns_data"},
    ),
    "Serves": (hl.Serves(_never, _nothing), {"returns_data"}),
    "TritonCompiles": (hl.TritonCompiles(CALLS), {"fills_tensor"}),
    "TritonKernelCorrect": (hl.TritonKernelCorrect(CALLS), {"fills_tensor"}),
    "TritonTraffic": (hl.TritonTraffic(CALLS), {"fills_tensor"}),
    "ValidModelRepository": (
        hl.ValidModelRepository(_never, {"m": "python"}),
        {"returns_data"},
    ),
    "WritesFiles": (hl.WritesFiles(_nothing), {"returns_data"}),
    "a function": (FunctionCheck(lambda session: "Good."), ANY),
}
"""Each check, and the tasks that it fits; a name may say more than its class."""


def test_every_exported_check_is_here() -> None:
    exported = {
        name
        for name in hl.homes()
        if isinstance(getattr(hl, name), type) and issubclass(getattr(hl, name), hl.Check)
    }
    assert exported == {name.partition(",")[0].partition(" of ")[0] for name in CHECKS} - {
        "a function"
    }


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", CHECKS)
def test_a_check_is_taken_where_it_fits_and_refused_elsewhere(name: str, kind: str) -> None:
    check, fits = CHECKS[name]
    check = replace(check, after=())
    if kind in fits:
        assert TASKS[kind](it=check).checks
        return
    with pytest.raises(TypeError, match="the check 'it'") as refused:
        TASKS[kind](it=check)
    assert any(Path(__file__).name in place for place in places(refused.value))
    remedy, instead = str(refused.value).split("make the task by ")[1].split("such as ")
    makers = re.findall(r"hl\.(\w+)", remedy)
    assert makers
    for maker in makers:
        assert TASKS[maker](it=check).checks, "what the message names refuses it too"
    for other in re.findall(r"hl\.(\w+)", instead):
        if other in CHECKS:
            on = ", InSimulator" if kind in CUDA else ""
            assert kind in CHECKS[other + on][1]


@pytest.mark.parametrize("kind", TASKS)
def test_plain_data_is_asked_of_another_function_of_a_python_file(kind: str) -> None:
    asked = hl.Answers(_nothing, entry="another")
    if kind in CUDA:
        with pytest.raises(TypeError, match="the check 'it'"):
            TASKS[kind](it=asked)
    else:
        assert TASKS[kind](it=asked).checks


def test_a_style_of_its_own_decides() -> None:
    assert hl.returns_data(it=hl.Correct(TRUTH, entry="another", style="return")).checks
    with pytest.raises(TypeError, match="a function that returns plain data"):
        hl.returns_tensor(it=hl.Correct(TRUTH, entry="another", style="json"))


@pytest.mark.parametrize("wrong", [{"refuses": ("correct",)}, {"refuses": ("last",)}])
def test_a_check_comes_after_one_that_is_before_it(wrong: dict[str, tuple[str, ...]]) -> None:
    """Else it would be judged although nothing shows that the function works."""
    refuses = hl.RaisesErrorForData(_nothing, after=wrong["refuses"])
    with pytest.raises(TypeError, match=r"the checks before it are \['right'\]: name those"):
        hl.returns_data(right=hl.Answers(_nothing), refuses=refuses, last=hl.Answers(_nothing))


@pytest.mark.parametrize("name", ["traffic", "compiles", "gpu_correct"])
def test_a_usual_check_of_a_triton_kernel_is_left_out_by_none(name: str) -> None:
    more: Any = {"small": FunctionCheck(lambda session: "Small."), name: None}
    names = ["correct", "small", "traffic", "compiles", "gpu_correct"]
    names.remove(name)
    assert list(hl.triton_kernel(CALLS, **more).checks) == names


def test_another_check_of_a_triton_kernel_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="the check 'gpu_fast' is None, expected a function"):
        hl.triton_kernel(CALLS, gpu_fast=None)
