"""The doctor: what is missing, what that costs, and how to fix it."""

from importlib.metadata import version
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.engines.serving import preflight
from hotloop.engines.serving.preflight import PreflightFinding as Gap
from hotloop.engines.simulate import toolchain
from hotloop.engines.simulate.toolchain import machine
from hotloop.learn import doctor
from hotloop.learn.doctor import DoctorFinding, FindingState
from hotloop.tasks import curriculum

TOOLS = ("sandbox", "torch", "triton", "g++", "serving", "onnx", "tvm", "xla", "gpu")


def findings(*missing: str) -> list[DoctorFinding]:
    return [
        DoctorFinding(
            name, FindingState.MISSING if name in missing else FindingState.OK, "", "fix it"
        )
        for name in TOOLS
    ]


@pytest.mark.slow
def test_with_everything_all_checks_are_gradable() -> None:
    rows = doctor.gradable(findings())
    code = [t for m in curriculum.modules() for t in m.tasks if t.kind == "code"]
    assert len(rows) == sum(len(task.checks) for task in code)
    assert all(row.lacking == () for row in rows)
    total = sum(task.points for task in code)
    assert sum(all_points for _, all_points in doctor.summary(rows).values()) == total


def test_without_a_gpu_exactly_the_gpu_checks_are_lost() -> None:
    rows = doctor.gradable(findings("gpu"))
    for row in rows:
        task = curriculum.load_module(row.module).task(row.task)
        needs_gpu = next(check.needs_gpu for check in task.checks if check.id == row.check)
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
        row.task: row.lacking for row in doctor.gradable(findings(tool)) if row.check == "correct"
    }
    assert lacking[needing] == (tool,)
    assert lacking[not_needing] == ()


def with_needs(module: curriculum.Module) -> curriculum.Module:
    """Return the module with needs, except for the first check of each task."""
    tasks = [
        task.model_copy(
            update={"checks": [task.checks[0].model_copy(update={"needs": []}), *task.checks[1:]]}
        )
        for task in module.tasks
    ]
    return module.model_copy(update={"needs": ["serving"], "tasks": tasks})


def test_without_a_server_what_needs_one_is_not_gradable(monkeypatch: pytest.MonkeyPatch) -> None:
    module = with_needs(curriculum.load_module("profile_training_loop"))
    monkeypatch.setattr(curriculum, "modules", lambda: [module])
    rows = doctor.gradable(findings("serving"))
    assert {row.lacking for row in rows} == {(), ("serving",)}
    for row in rows:
        first = module.task(row.task).checks[0].id
        assert row.lacking == (() if row.check == first else ("serving",))
    here, possible = doctor.summary(rows)[module.id]
    assert 0 < here < possible
    assert all(row.lacking == () for row in doctor.gradable(findings()))


def serving(monkeypatch: pytest.MonkeyPatch, *gaps: Gap) -> DoctorFinding:
    """Return the doctor's finding on a machine with these gaps."""
    rest = [Gap("ports", False, "in use", "none needed", needed=False)]
    if not any(gap.name == "environment" for gap in gaps):
        rest.append(Gap("environment", True, "/somewhere"))
    monkeypatch.setattr(preflight, "examine", lambda: [*gaps, *rest])
    [look] = [look for look in doctor._LOOKS if look.__name__ == "_serving"]
    return look()


def test_the_server_is_there_missing_or_without_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_importable", lambda module: True)
    found = serving(monkeypatch)
    assert (found.state, found.fix) == (FindingState.OK, "")
    assert "/somewhere" in found.found
    gap = Gap("environment", False, "not installed", "hotloop doctor --install tritonserver")
    found = serving(monkeypatch, gap)
    assert (found.state, found.fix) == (
        FindingState.MISSING,
        "hotloop doctor --install tritonserver",
    )
    assert "not installed" in found.found
    found = serving(monkeypatch, Gap("perf_analyzer", False, "-", "again", needed=False))
    assert (found.state, found.fix) == (FindingState.LIMITED, "again")
    monkeypatch.setattr(doctor, "_importable", lambda module: False)
    found = serving(monkeypatch)
    assert found.state is FindingState.LIMITED
    assert "hotloop[serving]" in found.fix


def test_where_no_server_is_installed_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTLOOP_SERVING", str(tmp_path))
    [look] = [look for look in doctor._LOOKS if look.__name__ == "_serving"]
    found = look()
    assert found.state is FindingState.MISSING
    assert found.fix


def simulator() -> DoctorFinding:
    [look] = [look for look in doctor._LOOKS if look.__name__ == "_simulator"]
    return look()


def test_the_simulator_says_whether_its_library_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTLOOP_SIMULATOR_CACHE", str(tmp_path))
    new = simulator()
    assert (new.name, new.state) == ("cuda", FindingState.OK)
    assert f"wasmtime {version('wasmtime')}, ziglang {version('ziglang')}" in new.found
    assert "takes a minute" in new.found
    folder = tmp_path / f"wasm-libraries-{toolchain.version()}"
    folder.mkdir()
    (folder / toolchain.FILE_STREAMS).touch()
    assert simulator().found.endswith("C and C++ library built")


def test_without_the_simulator_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "missing", lambda _extra: ("ziglang",))
    found = simulator()
    assert (found.name, found.state) == ("cuda", FindingState.MISSING)
    assert "ziglang" in found.found
    assert found.fix.endswith("-m pip install 'hotloop[cuda]'")


def test_a_compiler_that_does_not_run_is_no_simulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "zig", lambda: tmp_path / "zig")
    toolchain.version.cache_clear()
    assert simulator().state is FindingState.MISSING
    toolchain.version.cache_clear()


@pytest.mark.slow
def test_this_machine() -> None:
    found = {finding.name: finding for finding in doctor.examine()}
    assert {
        "python",
        "torch",
        "sandbox",
        "freezer",
        "gpu",
        "nvcc",
        "serving",
        "course",
        "cuda",
    } <= set(found)
    assert found["torch"].state is FindingState.OK
    assert all(f.fix for f in found.values() if f.state is not FindingState.OK)
    assert all(f.found for f in found.values())
