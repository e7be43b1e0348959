"""The static check agrees with the real server on each small repository, right or wrong."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hotloop.engines.serving.repository_cases import (
    CASES,
    LOADED,
    REFUSED,
    Case,
    together,
    verdicts,
)

from hotloop.engines.serving import onnx_rules, repository
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.server import TritonServer

pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")

StartServer = Callable[..., TritonServer]
LOAD = """
import sys
import onnxruntime
for path in sys.argv[1:]:
    try:
        onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        print("loaded")
    except Exception:
        print("refused")
"""


def onnx_cases() -> tuple[Case, ...]:
    pytest.importorskip("onnx")
    from tests.hotloop.engines.serving import onnx_cases

    return onnx_cases.CASES


def judged(case: Case, folder: Path) -> None:
    case.write(folder)
    told = [str(problem) for problem in repository.check(folder)]
    assert bool(told) == (case.verdict != LOADED), (case.name, told)
    assert not case.says or any(case.says in each for each in told), (case.name, told)
    assert all(each.startswith(("m/", "m:", "e/")) for each in told)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_check_says_what_the_server_does(case: Case, tmp_path: Path) -> None:
    judged(case, tmp_path)


@pytest.mark.slow
def test_the_check_says_what_the_server_does_with_onnx_models(tmp_path: Path) -> None:
    for case in onnx_cases():
        (tmp_path / case.name).mkdir()
        judged(case, tmp_path / case.name)


def test_a_name_of_weights_that_no_system_takes_is_a_problem(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from tests.hotloop.engines.serving.onnx_cases import of, whole, with_external

    for number, name in enumerate(("x" * 5000, "x/" * 3000, "a\0b", "/", ".", "..", "\n")):
        folder = tmp_path / str(number)
        of("weights", REFUSED, with_external(location=name), whole()).write(folder)
        [problem] = repository.check(folder, confined=True)
        assert problem.text.startswith("weight 'W' is in ")


@pytest.mark.slow
def test_what_is_told_of_a_configuration_has_a_line(tmp_path: Path) -> None:
    for case in CASES:
        (tmp_path / case.name).mkdir()
        case.write(tmp_path / case.name)
        for problem in repository.check(tmp_path / case.name):
            assert problem.line or not problem.file.endswith(".pbtxt") or "missing" in problem.text


@pytest.mark.serving
@pytest.mark.slow
def test_the_server_loads_and_refuses_what_the_cases_say(
    start: StartServer, tmp_path: Path
) -> None:
    # Each eighth: tests/benchmarks/model_repositories.py asks about all, for some minutes.
    cases = together((*CASES, *onnx_cases())[::8], tmp_path)

    def ready() -> TritonServer:
        # Without the sandbox, since that leaves links out.
        server = start(tmp_path, explicit=True, isolation="none", ready_s=60.0)
        server.wait_ready()
        return server

    wrong = [
        (case.name, verdict)
        for case, verdict in verdicts(cases, ready)
        if (verdict == REFUSED) != (case.verdict == REFUSED)
    ]
    assert wrong == []


@pytest.mark.serving
@pytest.mark.slow
def test_the_newest_versions_are_those_of_the_server_s_onnxruntime(
    installed: ServingEnvironment, tmp_path: Path
) -> None:
    pytest.importorskip("onnx")
    from tests.hotloop.engines.serving.onnx_cases import relu

    most, most_ir = onnx_rules.MOST_OPSETS, onnx_rules.MOST_IR_VERSION
    models = [
        relu(opsets=[("", most[""])]),
        relu(opsets=[("", most[""] + 1)]),
        relu(opsets=[("", 17), ("ai.onnx.ml", most["ai.onnx.ml"])]),
        relu(opsets=[("", 17), ("ai.onnx.ml", most["ai.onnx.ml"] + 1)]),
        relu(ir_version=most_ir),
        relu(ir_version=most_ir + 1),
    ]
    paths = [tmp_path / f"{number}.onnx" for number in range(len(models))]
    for path, model in zip(paths, models, strict=True):
        path.write_bytes(model)
    command = [str(installed.python), "-I", "-c", LOAD, *map(str, paths)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.split() == [LOADED, REFUSED] * 3
