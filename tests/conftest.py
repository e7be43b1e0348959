"""What all tests share: the clone's root, and which of them this machine can run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from hotloop.judge.device import kind

ROOT = Path(__file__).resolve().parents[1]
SLOW = Path(__file__).with_name("slow.txt")

# Tests run beside each other and beside whatever else a machine does: a late example is no failure.
settings.register_profile("hotloop", deadline=None)
settings.load_profile("hotloop")

# What tests check is no learner's progress; tests of the log turn it on for themselves.
os.environ["HOTLOOP_NO_VERDICT_LOG"] = "1"


# A shell lets what it runs in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def clone() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in slow.txt are marked `slow`; those marked `gpu` are skipped where there is no GPU."""
    known = frozenset(SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("gpu") is not None and kind() != "cuda":
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here"))
