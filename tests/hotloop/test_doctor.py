"""The doctor: what is missing, what that costs, and what mends it."""

from __future__ import annotations

import pytest

from hotloop import curriculum, doctor
from hotloop.doctor import Finding, State

TOOLS = ("sandbox", "torch", "triton", "g++", "gpu")


def findings(*missing: str) -> list[Finding]:
    return [
        Finding(name, State.MISSING if name in missing else State.OK, "", "mend it")
        for name in TOOLS
    ]


def test_with_everything_all_rungs_are_gradable() -> None:
    rows = doctor.gradable(findings())
    code = [t for m in curriculum.modules() for t in m.tasks if t.kind == "code"]
    assert len(rows) == sum(len(task.rungs) for task in code)
    assert all(row.lacking == () for row in rows)
    total = sum(task.points for task in code)
    assert sum(all_points for _, all_points in doctor.summary(rows).values()) == total


def test_without_a_gpu_exactly_the_gpu_rungs_are_lost() -> None:
    rows = doctor.gradable(findings("gpu"))
    for row in rows:
        task = curriculum.load_module(row.module).task(row.task)
        needs_gpu = next(rung.needs_gpu for rung in task.rungs if rung.id == row.rung)
        assert row.lacking == (("gpu",) if needs_gpu else ())
    here, possible = doctor.summary(rows)["fused_softmax"]
    assert 0 < here < possible


def test_without_a_sandbox_nothing_is_gradable() -> None:
    rows = doctor.gradable(findings("sandbox"))
    assert rows
    assert all(row.lacking == ("sandbox",) for row in rows)


@pytest.mark.parametrize(
    ("tool", "needing", "not_needing"),
    [("triton", "triton_forward", "online_pass"), ("g++", "compiled_chain", "triton_forward")],
)
def test_a_missing_tool_costs_the_tasks_that_use_it(
    tool: str, needing: str, not_needing: str
) -> None:
    lacking = {
        row.task: row.lacking for row in doctor.gradable(findings(tool)) if row.rung == "correct"
    }
    assert lacking[needing] == (tool,)
    assert lacking[not_needing] == ()


def test_this_machine() -> None:
    found = {finding.name: finding for finding in doctor.examine()}
    assert {
        "python",
        "torch",
        "sandbox",
        "freezer",
        "gpu",
        "nvcc",
        "jupyterlab",
        "nbgrader",
    } <= set(found)
    assert found["torch"].state is State.OK
    assert all(f.mend for f in found.values() if f.state is not State.OK)
    assert all(f.found for f in found.values())
