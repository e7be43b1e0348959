"""`hotloop doctor` and `hotloop start`: who judges, and which groups a module's tasks need."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core import extras
from hotloop.learn import doctor
from hotloop.learn.doctor import DoctorFinding, FindingState
from hotloop.learn.remote import place
from hotloop.tasks import curriculum, module_groups

SERVER = "https://judge.example"
GAP = "Judging on this machine needs numpy, torch: judge on a Linux machine"
MISSING = [DoctorFinding("torch", FindingState.MISSING, "not installed", "see local")]


@pytest.fixture(autouse=True)
def _no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(place.SERVER, raising=False)
    monkeypatch.setattr(doctor, "examine", lambda: MISSING)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "why_no_judge", lambda: GAP)


@pytest.fixture
def logged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(place.SERVER, SERVER)


def said(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def document(*words: str) -> Any:
    return json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)


@pytest.mark.usefixtures("light", "logged_in")
@pytest.mark.parametrize("words", [("doctor",), ("doctor", "first_kernels")])
def test_a_light_client_that_is_logged_in_names_its_service_and_no_gap(
    words: tuple[str, ...],
) -> None:
    told = said(*words)
    assert f"Your work is judged by {SERVER}, where you are logged in" in told
    assert "Nothing is missing here for that." in told
    for gap in ("torch", "0 of", "To fix", "pip install"):
        assert gap not in told
    assert document(*words)["judged_by"] == SERVER


@pytest.mark.usefixtures("light")
def test_a_light_client_without_a_login_says_who_could_judge() -> None:
    told = said("doctor")
    modules = "first_kernels, fused_softmax, gemm_tensor_cores, gemm_hopper"
    kernels = f"the CUDA kernels of {modules}"
    assert told.startswith(f"For practice, {kernels} are judged here: hotloop check first_kernels.")
    assert f"For a graded verdict: {GAP}" in told
    assert "`hotloop login`" in told
    assert said("doctor", "ssa_passes").startswith(GAP)
    assert "To fix" not in told
    assert "To fix" in said("doctor", "--all")
    assert document("doctor")["judged_by"] == ""


@pytest.mark.usefixtures("logged_in")
def test_a_machine_that_can_judge_names_the_service_and_its_own_gaps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "why_no_judge", lambda: "")
    told = said("doctor")
    assert told.startswith(f"Your work is judged by {SERVER}")
    assert "To fix" in told


@pytest.mark.slow
@pytest.mark.parametrize("module", [module.id for module in curriculum.modules()])
def test_start_and_doctor_name_the_groups_of_a_modules_tasks(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "why_no_judge", lambda: "")

    def missing(extra: str) -> tuple[str, ...]:
        return (extra,)

    monkeypatch.setattr(extras, "missing", missing)
    commands = module_groups.of_module(curriculum.load_module(module)).commands
    assert document("doctor", module)["install"] == commands
    assert f"All tasks of {module}: {', '.join(commands)}" in said("doctor", module)
    started = said("start", module, str(tmp_path / module))
    lacking = module_groups.tasks_lacking(curriculum.load_module(module))
    assert (f"here: {', '.join(commands)}" in started) == bool(lacking)


@pytest.mark.usefixtures("light", "logged_in")
def test_start_names_the_service_that_judges(tmp_path: Path) -> None:
    told = said("start", "first_kernels", str(tmp_path / "work"))
    assert f"Judged by {SERVER}, where you are logged in." in told
    assert "To judge" not in told


@pytest.mark.usefixtures("light")
def test_start_says_what_judging_here_would_need(tmp_path: Path) -> None:
    told = said("start", "first_kernels", str(tmp_path / "work"))
    assert "For practice, bias_gelu, transpose, blur_rows are judged here: hotloop check" in told
    assert "To judge all tasks here: pip install 'hotloop[course,cuda]'" in told


@pytest.mark.usefixtures("light")
def test_who_lacks_the_simulator_is_told_of_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda extra: (extra,))
    for words in (("start", "first_kernels", str(tmp_path / "work")), ("doctor", "first_kernels")):
        told = said(*words)
        assert "For practice verdicts of bias_gelu, transpose, blur_rows here: " in told
        assert "-m pip install 'hotloop[cuda]'" in told


def test_a_group_that_conflicts_with_the_others_gets_an_environment_of_its_own() -> None:
    module = module_groups.of_module(curriculum.load_module("yolo_on_mobile"))
    assert "litert" not in module.groups
    command = "python -m venv litert && litert/bin/pip install 'hotloop[course,litert]'"
    assert command in module.commands
    assert "-m venv litert && litert/bin/python -m pip install" in extras.remedy("litert")
