"""A practice verdict is the judge's own, made without process, sandbox, PyTorch or Linux."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.core.record import Record, counts
from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import CUDA
from hotloop.judge.practice import answer
from hotloop.judge.task import find
from hotloop.tasks import curriculum, practice, render
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.task_spec import task_spec

pytest.importorskip("wasmtime", reason="pip install 'hotloop[cuda]'")

KEYS = [
    f"{module.id}.{task.id}" for module in curriculum.modules() for task in practice.kernels(module)
]
MODULES = sorted({key.partition(".")[0] for key in KEYS})


def simulated(module: str, task: str) -> list[str]:
    """Return the checks that the simulator decides."""
    spec = task_spec(curriculum.load_module(module), task)
    return [name for name, check in spec.checks.items() if "cuda" in check.needs and not check.gpu]


WRONG = [
    pytest.param(module, wrong, id=f"{module}.{wrong.name}")
    for module in MODULES
    for wrong in render.wrong_answers(module)
    if f"{module}.{wrong.task}" in KEYS and wrong.check in simulated(module, wrong.task)
]

WALLED = """
import json, os, sys
sys.path[:0] = json.loads(sys.argv[1])
import numpy, sysconfig, wasmtime
sysconfig.get_config_vars()
REFUSED = {
    "fcntl", "grp", "multiprocessing", "pwd", "pydantic", "pyseccomp", "resource", "rich",
    "termios", "torch", "triton", "typer", "yaml",
}
NOT_IN_OS = {
    "fork", "forkpty", "getpgid", "getuid", "memfd_create", "mkfifo", "pipe2", "sched_getaffinity",
    "sched_param", "sched_setaffinity", "sched_setscheduler", "setsid", "statvfs", "sysconf",
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK",
}
for name in [name for name in sys.modules if name.partition(".")[0] in REFUSED]:
    del sys.modules[name]
for name in REFUSED:
    sys.modules[name] = None
import mmap, select, signal, socket
for module, names in (
    (os, NOT_IN_OS),
    (signal, {"ITIMER_REAL", "SIGALRM", "SIGKILL", "SIGSTOP", "setitimer"}),
    (select, {"poll", "epoll"}),
    (socket, {"AF_UNIX", "socketpair"}),
    (mmap, {"MAP_POPULATE", "MAP_SHARED", "PROT_READ", "PROT_WRITE"}),
):
    for name in names & set(dir(module)):
        delattr(module, name)
started = []

def refuse(event, arguments):
    if event == "subprocess.Popen":
        started.append(os.path.basename(str(arguments[0])))
    starts = ("os.exec", "os.fork", "os.posix_spawn", "os.system", "socket.", "subprocess.Popen")
    if event.startswith(starts) and started[-1:] != ["zig"]:
        raise PermissionError(event)

sys.addaudithook(refuse)
"""
"""A process without what macOS, Windows and browsers lack; it starts nothing but the compiler."""

JUDGING = """
from hotloop.judge import practice
records = [json.loads(practice.answer(request)) for request in sys.stdin]
ours = sorted(name for name in sys.modules if name.partition(".")[0] == "hotloop")
print(json.dumps({"records": records, "ours": ours, "started": sorted(set(started))}))
"""


def walled(program: str, lines: Sequence[str] = ()) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", WALLED + program, json.dumps(sys.path)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def request(key: str, files: dict[str, str]) -> str:
    described = practice.description(key)
    return json.dumps(
        {name: described[name] for name in ("task", "spec", "given")} | {"files": files}
    )


def solved(key: str) -> dict[str, str]:
    module, _, task = key.partition(".")
    [name] = curriculum.load_module(module).task(task).files
    return {name: (paths.solutions() / module / name).read_text(encoding="utf-8")}


@pytest.mark.slow
def test_cuda_kernels_are_what_is_judged() -> None:
    for module in curriculum.modules():
        code = [task for task in module.tasks if task.kind == "code"]
        kernels = [
            task
            for task in code
            if find(module.id, task.id).kind in CUDA and simulated(module.id, task.id)
        ]
        assert practice.kernels(module) == kernels


IMPORTED = {"core", "engines", "judge", "tasks", "worker"}
NOT_JUDGE = {
    "hotloop.engines.nvcc",  # what checks of nvcc say of its output
    "hotloop.engines.prover.contract",  # what checks say of proofs, which no page runs
    "hotloop.engines.prover.report",
    "hotloop.engines.simulate",
    "hotloop.tasks.authoring",
    "hotloop.tasks.modules",
    "hotloop.worker.cuda_tools",
    "hotloop.worker.device",  # what checks on a GPU call errors
    "hotloop.worker.notebook",  # which cells a submission has
    "hotloop.worker.notebook_cells",
    "hotloop.worker.requests",
    "hotloop.worker.tensors",
    "hotloop.worker.triton_compat",
    "hotloop.worker.triton_launches",  # what it says of calls that were recorded
    "hotloop.worker.triton_modules",
}
"""Packages and modules beside `core` and `judge`."""


@pytest.mark.slow
def test_its_imports_stay_light() -> None:
    """They are all that a page loads."""
    tasks = [f"hotloop.tasks.modules.{module}.tasks" for module in MODULES]
    program = f"""
import importlib
for name in ["hotloop.judge.practice", *{tasks}]:
    importlib.import_module(name)
print(json.dumps(sorted(set(sys.modules) - REFUSED)))
"""
    imported = set[str](walled(program))
    ours = {name for name in imported if name.startswith("hotloop.")}
    assert {name.split(".")[1] for name in ours} == IMPORTED
    for name in sorted(ours):
        if name.split(".")[1] not in {"core", "judge"} and name.count(".") > 1:
            allowed = (f"{name}.".startswith(f"{one}.") for one in NOT_JUDGE)
            packages = (one.startswith(f"{name}.") for one in NOT_JUDGE)
            assert any(allowed) or any(packages), name
    known = packages_distributions()
    foreign = {one for name in imported for one in known.get(name.partition(".")[0], ())}
    assert foreign - _of_start() <= {"hotloop", "numpy", "wasmtime"}


def _of_start() -> set[str]:
    """Return whose modules an interpreter of this environment imports by itself."""
    program = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    known = packages_distributions()
    return {one for name in done.stdout.split() for one in known.get(name, ())}


@pytest.mark.slow
def test_a_bundle_has_every_file_that_is_imported() -> None:
    files = practice.package_files(MODULES)
    names = {path.relative_to(Path(practice.__file__).parents[1]).as_posix() for path in files}
    assert {
        "judge/practice.py",
        "tasks/authoring.pyi",
        "tasks/modules/gemm_tensor_cores/counted.py",
        "engines/simulate/engine/browser.py",
        "engines/simulate/include/cuda_runtime.h",
    } <= names
    assert not any(name.startswith(("sandbox/", "learn/", "course/", "cli/")) for name in names)
    assert sum(path.stat().st_size for path in files) < 1_750_000


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_it_needs_no_process_but_the_compiler_and_nothing_of_linux() -> None:
    answered = walled(JUDGING, [request(key, solved(key)) for key in KEYS])
    assert answered["started"] == ["zig"]
    assert not [name for name in answered["ours"] if name.startswith("hotloop.sandbox")]
    for key, document in zip(KEYS, answered["records"], strict=True):
        record = Record.from_json(document)
        assert f"{record.module}.{record.task}" == key
        assert record.circumstances.practice
        assert not counts(record, "")
        passed = [check.check for check in record.checks if check.verdict is Verdict.PASSED]
        said = [check.sentence for check in record.checks]
        assert passed == simulated(record.module, record.task), said


@pytest.mark.slow
def test_an_exercise_as_handed_out_is_not_started() -> None:
    keys = [(key, practice.description(key)["files"]) for key in KEYS]
    answered = walled(JUDGING, [request(key, files) for key, files in keys])
    assert answered["started"] == []
    for document in answered["records"]:
        assert document["sentence"].startswith("Not attempted")
        assert {check["verdict"] for check in document["checks"]} == {"wrong_answer"}


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("module", "wrong"), WRONG)
def test_a_wrong_answer_gets_the_verdict_that_is_graded(
    module: str, wrong: render.WrongAnswer, tmp_path: Path
) -> None:
    """To the word, for the same hidden inputs; what is proved is told with graded verdicts only."""
    files = render.submission(module, wrong.path)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    seed, checks = "5" * 32, simulated(module, wrong.task)
    graded = judge_submission(files, module, [wrong.task], checks, seed=seed)[wrong.task]
    practiced = practice.judge_folder(tmp_path, module, [wrong.task], seed=seed)[wrong.task]
    proved = {c.check: c.sentence for c in graded.checks if "proofs" in c.evidence}
    for check, verdict, sentence in told(practiced, checks):
        assert graded.check(check).verdict is verdict
        if verdict is Verdict.PASSED and check in proved:
            assert proved[check].startswith(sentence)
        else:
            assert graded.check(check).sentence == sentence
    assert practiced.check(wrong.check).verdict not in {Verdict.PASSED, Verdict.NOT_MEASURED}


def told(record: Record, checks: Sequence[str]) -> list[tuple[str, Verdict, str]]:
    judged = (record.check(name) for name in checks)
    return [(check.check, check.verdict, check.sentence) for check in judged]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"task": "a.b", "spec": {}, "given": {}}'])
def test_what_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"request|Expecting value|description"):
        answer(text)


@pytest.mark.slow
def test_a_task_that_there_is_not_is_our_failure() -> None:
    asked = json.loads(request(KEYS[0], {"kernels.cu": ""}))
    record = json.loads(answer(json.dumps({**asked, "task": "first_kernels.none"})))
    assert record["verdict"] == "judge_error"
    missing = json.loads(answer(json.dumps({**asked, "files": {}})))
    assert missing["sentence"].endswith("is missing: hand it in too.")
