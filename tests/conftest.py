"""What all tests share: the clone's root, and which of them this machine can run."""

import importlib.util
import os
import signal
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from hotloop.judge.device import kind

ROOT = Path(__file__).resolve().parents[1]
SLOW = Path(__file__).with_name("slow.txt")
MANY_CASES = 4

# Tests run beside each other and beside whatever else a machine does: a late example is no failure.
settings.register_profile("hotloop", deadline=None)
settings.load_profile("hotloop")

# What tests check is no learner's progress; tests of the log turn it on for themselves.
os.environ["HOTLOOP_NO_VERDICT_LOG"] = "1"

# Whoever runs the tests may be logged in to a class's service; they are judged here all the same.
os.environ["HOTLOOP_SERVER"] = "here"

# Tests share it between runs: built files are named by their content, so that none is ever old.
os.environ.setdefault("HOTLOOP_SIMULATOR_CACHE", str(ROOT / "build" / "simulator"))


# A shell lets what it runs in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def clone() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def load_file() -> Callable[[Path], ModuleType]:
    """Loads a file that is in no package: a solution, a harness, a script. Each time anew."""
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--share N`: of a slow test with many cases, one case in N. The commit says which."""
    parser.addoption("--share", type=int, default=1, help="judge one slow case in so many")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests in slow.txt are marked `slow`; those marked `gpu` are skipped where there is no GPU."""
    known = frozenset(SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("gpu") is not None and kind() != "cuda":
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here"))
    if (share := int(config.getoption("share") or 1)) > 1:
        left_out = cases_of_other_commits(items, share)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))


def cases_of_other_commits(items: list[pytest.Item], share: int) -> set[pytest.Item]:
    """All but one in `share` of the slow cases of tests that have many; in turn, by commit."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = int(subprocess.check_output(command, text=True), 16)
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    cases = Counter(item.nodeid.partition("[")[0] for item in slow)
    return {
        item
        for item in slow
        if cases[item.nodeid.partition("[")[0]] >= MANY_CASES
        and (zlib.crc32(item.nodeid.encode()) + commit) % share
    }
