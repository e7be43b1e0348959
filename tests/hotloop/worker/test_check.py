"""`check` in a learner's own process: a verdict, an end in time, and nothing left behind."""

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.learn.notebook import check
from hotloop.tasks import render

shows_points = pytest.mark.skipif(
    importlib.util.find_spec("pydantic") is None,
    reason="points come from the curriculum, which pydantic reads",
)
PROGRAM = """
import json, sys, time
from hotloop import check

def online_softmax(x):
    {body}

shown = check("fused_softmax.online_pass", budget_s={budget})
html = shown._repr_mimebundle_()["text/html"]
print(json.dumps({{"verdict": shown.record.verdict, "html": html[:20]}}))
"""


def _start(folder: Path, body: str, budget: float = 60) -> subprocess.Popen[str]:
    script = folder / "kernel.py"
    script.write_text(textwrap.dedent(PROGRAM.format(body=body, budget=budget)))
    return subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _judges_of(session: int) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (
                os.getsid(int(entry.name)) == session
                and b"hotloop.judge" in (entry / "cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def _wait_until_gone(session: int) -> bool:
    for _ in range(100):
        if not _judges_of(session):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@shows_points
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        # Right, but not in one pass.
        ("import torch; return torch.softmax(x.double(), -1).nan_to_num(0).to(x.dtype)", "partial"),
        ("return x", "wrong_answer"),
        ("raise NotImplementedError('online_pass')", "wrong_answer"),
        ("sys.exit(3)", "runtime_error"),
    ],
)
def test_a_verdict_comes_back(tmp_path: Path, body: str, verdict: str) -> None:
    process = _start(tmp_path, body)
    out, err = process.communicate(timeout=90)
    assert f'"verdict": "{verdict}"' in out, err
    assert _wait_until_gone(process.pid)


@pytest.mark.slow
@shows_points
def test_an_endless_loop_ends_with_the_budget(tmp_path: Path) -> None:
    process = _start(tmp_path, "\n    while True: pass", budget=8)
    out, err = process.communicate(timeout=60)
    assert '"verdict": "timeout"' in out, err
    assert _wait_until_gone(process.pid)


@pytest.mark.slow
def test_interrupting_leaves_no_judge_behind(tmp_path: Path) -> None:
    process = _start(tmp_path, "time.sleep(600)")
    for _ in range(200):
        if _judges_of(process.pid):
            break
        time.sleep(0.05)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert "fused_softmax.online_pass was stopped before there was a verdict." in err
    assert _wait_until_gone(process.pid)


@pytest.mark.slow
def test_killing_the_kernel_takes_the_judge_with_it(tmp_path: Path) -> None:
    process = _start(tmp_path, "time.sleep(600)")
    for _ in range(200):
        if _judges_of(process.pid):
            break
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=10)
    assert _wait_until_gone(process.pid)


def test_a_key_names_module_and_task() -> None:
    with pytest.raises(ValueError, match=r"module\.task"):
        check("fused_softmax")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("no_such_module.one", "there is no module 'no_such_module'"),
        ("fused_softmax.no_such_task", "has no task 'no_such_task'"),
    ],
)
def test_a_key_of_no_task_says_which_there_are(key: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        check(key)
    assert "fused_softmax" in str(refused.value)
    assert "`hotloop start MODULE`" in str(refused.value)


ENDLESS_FILE = """
import sys
from hotloop import check

check("fused_softmax.triton_forward", budget_s=60)
"""


@pytest.mark.slow
def test_interrupting_ends_a_file_of_the_learner_that_never_ends(tmp_path: Path) -> None:
    (tmp_path / "softmax_triton.py").write_text("def softmax(x, out):\n    while True: pass\n")
    (tmp_path / "kernel.py").write_text(ENDLESS_FILE)
    process = subprocess.Popen(
        [sys.executable, "kernel.py"], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True
    )
    assert _until(lambda: _children_of(_judges_of(process.pid)))
    time.sleep(2)
    workers = _children_of(_judges_of(process.pid))
    assert workers
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert _until(lambda: not any(worker.exists() for worker in workers))


def _children_of(parents: list[int]) -> list[Path]:
    """Return the /proc folders of the direct children."""
    found: list[Path] = []
    for parent in parents:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [Path(f"/proc/{child}") for child in children.read_text().split()]
    return found


def _until(true: Callable[[], object]) -> bool:
    for _ in range(200):
        if true():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.timeout(170)
def test_a_kernel_that_nothing_is_asked_of_is_let_go(tmp_path: Path) -> None:
    """The task is about a file: the judge runs it in another process, and the kernel only waits."""
    for name, content in render.submission("fused_softmax").items():
        (tmp_path / name).write_bytes(content)
    program = "from hotloop import check; check('fused_softmax.cuda_naive'); print('free')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
    assert done.stdout.strip().endswith("free")
