"""A kernel in the sandbox, controlled from outside."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.course.isolation import choose
from hotloop.course.kernel import ConfinedKernel, KernelNotStarted, NotebookLimits

pytestmark = pytest.mark.sandbox
LIMITS = NotebookLimits(cell_s=2.0, notebook_s=60.0, memory_bytes=400 << 20)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "helper.py").write_text("VALUE = 7\n")
    return folder


@pytest.fixture
def kernel(files: Path) -> Iterator[ConfinedKernel]:
    launch = choose().launch
    assert launch is not None
    with ConfinedKernel(files, launch, LIMITS) as started:
        yield started


def shown(kernel: ConfinedKernel, code: str) -> str:
    status, outputs = kernel.execute(code)
    assert status == "ok", outputs.nodes
    return "".join(o.text for o in outputs.nodes if o.output_type == "stream")


@pytest.mark.slow
def test_cells_share_names_and_files(kernel: ConfinedKernel) -> None:
    assert shown(kernel, "import helper; x = helper.VALUE") == ""
    assert shown(kernel, "print(x + 1); open('beside.txt', 'w').write('ok')") == "8\n"
    assert shown(kernel, "print(open('beside.txt').read())") == "ok\n"


@pytest.mark.slow
def test_an_error_ends_the_cell_only(kernel: ConfinedKernel) -> None:
    status, outputs = kernel.execute("print('before'); 1 / 0")
    assert status == "error"
    assert [o.output_type for o in outputs.nodes] == ["stream", "error"]
    assert outputs.nodes[1].ename == "ZeroDivisionError"
    assert shown(kernel, "print('after')") == "after\n"


@pytest.mark.slow
def test_a_long_cell_is_interrupted_and_the_kernel_lives(kernel: ConfinedKernel) -> None:
    status, outputs = kernel.execute("import time\nwhile True: time.sleep(0.1)")
    assert status == "timeout"
    assert outputs.nodes[-1].ename == "CellTimeout"
    assert shown(kernel, "print(1)") == "1\n"


@pytest.mark.slow
def test_a_deaf_cell_is_killed_soon_after(kernel: ConfinedKernel) -> None:
    started = time.monotonic()
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    status, _ = kernel.execute(code)
    assert status == "dead"
    assert time.monotonic() - started < LIMITS.cell_s + LIMITS.interrupt_s + 3
    assert kernel.death is not None
    assert kernel.death.verdict is Verdict.TIMEOUT
    assert kernel.execute("1")[0] == "dead"


@pytest.mark.slow
def test_the_learner_sees_nothing_of_ours_and_no_network(kernel: ConfinedKernel) -> None:
    code = """
import os, socket, sys
def fails(action):
    try:
        action()
    except Exception:
        return True
    return False
tries = {
    "judge": lambda: __import__("hotloop.judge.task"),
    "checks": lambda: __import__("hotloop.tasks.modules.fused_softmax"),
    "course": lambda: __import__("hotloop.course.grade"),
    "network": lambda: socket.create_connection(("127.0.0.1", 22), 1),
    "socket folder": lambda: open("/run/hotloop/x", "w"),
    "own judge": lambda: socket.socket(socket.AF_UNIX).bind("/run/hotloop/judge.sock"),
    "shadow": lambda: open("/etc/shadow"),
    "submission": lambda: open("/submission/helper.py", "w"),
}
print([name for name, action in tries.items() if not fails(action)])
"""
    assert shown(kernel, code) == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("call", ["exit()", "quit()", "exit", "quit"])
def test_exit_ends_its_cell_only_and_is_named(kernel: ConfinedKernel, call: str) -> None:
    status, outputs = kernel.execute(f"x = 1\n{call}\nx = 2" if "(" in call else call)
    assert status == "error"
    assert "exit() and quit()" in outputs.nodes[-1].evalue
    assert shown(kernel, "print('after')") == "after\n"


@pytest.mark.slow
def test_more_output_than_can_be_received_is_told(kernel: ConfinedKernel) -> None:
    _, outputs = kernel.execute("print('x' * (40 << 20))")
    assert "cut here" in outputs.nodes[-1].text
    assert shown(kernel, "print('again')") == "again\n"


@pytest.mark.slow
def test_reading_from_a_person_is_refused(kernel: ConfinedKernel) -> None:
    status, outputs = kernel.execute("input('name?')")
    assert status == "error"
    assert outputs.nodes[-1].ename == "StdinNotImplementedError"


def test_a_kernel_that_does_not_start_says_why(files: Path) -> None:
    launch = choose().launch
    assert launch is not None
    tight = NotebookLimits(start_s=10.0, memory_bytes=8 << 20)
    with pytest.raises(KernelNotStarted, match="did not start"):
        ConfinedKernel(files, launch, tight)


@pytest.mark.slow
def test_settings_among_the_files_do_not_keep_it_from_starting(files: Path) -> None:
    launch = choose().launch
    assert launch is not None
    startup = files / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "x.py").write_text("import os; os._exit(1)")
    (files / "ipython_kernel_config.py").write_text("import os; os._exit(1)")
    (files / "ipykernel.py").write_text("import os; os._exit(1)")
    (files / "sitecustomize.py").write_text("import os; os._exit(1)")
    with ConfinedKernel(files, launch, LIMITS) as kernel:
        assert shown(kernel, "print('up')") == "up\n"


@pytest.mark.slow
def test_the_whole_notebook_has_a_limit(files: Path) -> None:
    launch = choose().launch
    assert launch is not None
    with ConfinedKernel(files, launch, NotebookLimits(cell_s=60.0, notebook_s=1.0)) as kernel:
        time.sleep(1.1)
        assert shown(kernel, "print('waiting for the judge costs nothing')")
        assert kernel.execute("import time; time.sleep(60)")[0] == "timeout"
        assert kernel.execute("print(1)")[0] == "dead"
        assert kernel.death is not None
        assert kernel.death.verdict is Verdict.TIMEOUT


def test_a_folder_whose_path_is_too_long_for_sockets_is_named(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    launch = choose().launch
    assert launch is not None
    with pytest.raises(KernelNotStarted, match="set TMPDIR to a folder with a shorter path"):
        ConfinedKernel(files, launch, LIMITS)
    assert list(long.iterdir()) == []


def test_files_named_like_the_kernels_modules_do_not_keep_it_from_starting(files: Path) -> None:
    for name in ("cmd", "code", "faulthandler", "pdb", "unicodedata"):
        (files / f"{name}.py").write_text("raise SystemExit(3)")
    launch = choose().launch
    assert launch is not None
    with ConfinedKernel(files, launch, LIMITS) as started:
        assert shown(started, "print(1)") == "1\n"
