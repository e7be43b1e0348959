"""Shared by all tests: the clone's root, and which tests this machine can run."""

import importlib.util
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import kind

ROOT = Path(__file__).resolve().parents[1]

# Tests run in parallel on a busy machine: a slow example is no failure.
settings.register_profile("hotloop", deadline=None)
settings.load_profile("hotloop")

# Verdicts in tests are no learner's progress; tests of the log enable it themselves.
os.environ["HOTLOOP_NO_VERDICT_LOG"] = "1"

# The user may be logged in to a class's service; tests are judged on this machine anyway.
os.environ["HOTLOOP_SERVER"] = "here"

# What a self-test or a placement on this machine has left decides no test.
os.environ["XDG_DATA_HOME"] = str(ROOT / "build" / "data_of_tests")

# The cache is shared between runs: files are named by a hash of their content, so none is stale.
os.environ.setdefault("HOTLOOP_SIMULATOR_CACHE", str(ROOT / "build" / "simulator"))


# A shell makes background processes ignore Ctrl-C, and all processes of the tests would inherit
# that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def clone() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def load_file() -> Callable[[Path], ModuleType]:
    """Return a function that imports a file outside any package, anew on each call.

    Such as a solution, a harness or a script.
    """
    numbers = count()

    def loaded(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"{path.stem}_{next(numbers)}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # a dataclass looks its module up
        spec.loader.exec_module(module)
        return module

    return loaded


@pytest.fixture(scope="module")
def judge() -> Iterator[JudgeProcess]:
    """A judge's process, which the tests of a file share: starting it imports PyTorch."""
    with JudgeProcess() as process:
        yield process


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--share N`: run one slow test in N, chosen by the commit."""
    parser.addoption("--share", type=int, default=1, help="run one slow test in so many")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests marked `gpu` if there is no GPU, and the slow ones of other commits."""
    for item in items:
        if item.get_closest_marker("gpu") is not None and kind() != "cuda":
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here"))
    if (share := int(config.getoption("share") or 1)) > 1:
        left_out = slow_tests_of_other_commits(items, share)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))


def slow_tests_of_other_commits(items: list[pytest.Item], share: int) -> set[pytest.Item]:
    """Return all but one in `share` of the slow tests; the commit decides which."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = int(subprocess.check_output(command, text=True), 16)
    return {
        item
        for item in items
        if item.get_closest_marker("slow") is not None
        and (zlib.crc32(item.nodeid.encode()) + commit) % share
    }
