"""A worker that fails before it has files of the candidate is the judge's failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.launcher import Launcher
from hotloop.judge.session import INTERPRETED
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.judge.zygotes import worker_fork
from hotloop.sandbox.confinement import PACKAGES

pytestmark = pytest.mark.sandbox

ANSWER = "def answer():\n    return 7\n"
BROKEN = "/opt/broken"
PRELOADED = "import sys, types\nsys.modules['triton'] = types.ModuleType('triton')\n"
"""As a zygote has imported Triton before a worker starts."""


@contextmanager
def worker(
    launcher: Launcher, files: Path, broken: Path | None = None
) -> Iterator[WorkerConnection]:
    more = {} if broken is None else {"PYTHONPATH": f"{BROKEN}:{PACKAGES}"}
    started = launcher.start(
        files=files,
        trusted=False,
        environment={**INTERPRETED, **more},
        read_only={} if broken is None else {BROKEN: broken},
    )
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "kernels.py").write_text(ANSWER)
    return folder


@pytest.fixture(params=["executed", "forked"])
def launcher(request: pytest.FixtureRequest) -> Launcher:
    forked = request.param == "forked"
    return Launcher("bubblewrap", fork=worker_fork(()) if forked else None)


def test_packages_that_are_missing_are_the_judges_failure(tmp_path: Path, files: Path) -> None:
    """Here numpy.typing, which the corrections of Triton's interpreter import."""
    broken = tmp_path / "broken"
    (broken / "numpy").mkdir(parents=True)
    (broken / "numpy" / "__init__.py").touch()
    (broken / "sitecustomize.py").write_text(PRELOADED)
    broken.chmod(0o755)
    with (
        pytest.raises(JudgeFault, match=r"(?s)did not start.*numpy\.typing"),
        worker(Launcher("bubblewrap"), files, broken),
    ):
        pass


@pytest.mark.parametrize(
    "name", ["numpy.py", "torch.py", "triton.py", "ctypes.py", "sitecustomize.py", "hotloop.py"]
)
def test_nobody_can_fail_a_worker_before_his_file_is_executed(
    launcher: Launcher, files: Path, name: str
) -> None:
    """His modules have the names of those that the worker imports."""
    (files / name).write_text("raise ModuleNotFoundError('numpy.typing')\n")
    with worker(launcher, files) as started:
        started.resolve("answer", "kernels.py", 60)


def test_what_his_module_raises_is_his(launcher: Launcher, files: Path) -> None:
    (files / "data.py").write_text("raise ModuleNotFoundError('numpy.typing')\n")
    (files / "kernels.py").write_text(f"import data\n{ANSWER}")
    with worker(launcher, files) as started, pytest.raises(Ruling) as raised:
        started.resolve("answer", "kernels.py", 60)
    assert raised.value.verdict is Verdict.RUNTIME_ERROR


def test_his_modules_are_found_although_the_folder_was_searched_before(
    launcher: Launcher, files: Path
) -> None:
    (files / "data.py").write_text("SEVEN = 7\n")
    (files / "kernels.py").write_text(f"import data\n{ANSWER}")
    with worker(launcher, files) as started:
        started.resolve("answer", "kernels.py", 60)
