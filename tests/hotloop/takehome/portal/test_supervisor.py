"""There is a grader as long as there is a portal, and not a moment longer."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.takehome.portal.supervisor import Supervisor

WAITS = "import time; time.sleep(60)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"


class Watched(Supervisor):
    """Watches a program of the test's own."""

    program = WAITS

    def _command(self) -> list[str]:
        return [sys.executable, "-c", self.program]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    supervisor = Watched(tmp_path, pause_s=0.05)
    yield supervisor
    supervisor.stop()


def test_a_grader_that_was_killed_is_started_again(watched: Watched) -> None:
    watched.start()
    first = _new(watched, None)
    os.kill(first, signal.SIGKILL)
    second = _new(watched, first)
    watched.stop()
    assert not _is_alive(second)


def test_a_grader_that_does_not_listen_is_ended_all_the_same(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotloop.takehome.portal.supervisor.END_S", 0.3)
    watched.program = DEAF
    watched.start()
    process = _new(watched, None)
    time.sleep(0.3)
    watched.stop()
    assert not _is_alive(process)


def test_the_databases_password_is_no_argument(tmp_path: Path) -> None:
    url = "postgresql+psycopg://team:a-secret@host/portal"
    supervisor = Supervisor(tmp_path, url, 2)
    assert "a-secret" not in " ".join(supervisor._command())
    assert supervisor._environment()["HOTLOOP_PORTAL_DATABASE"] == url


def _new(watched: Watched, before: int | None) -> int:
    _until(lambda: watched.process not in (None, before))
    assert watched.process is not None
    return watched.process


def _is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)
