"""A supervised process runs exactly as long as its site."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.service.web.supervisor import Supervisor

from ...waiting import until

WAITS = "import time; time.sleep(60)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"


def supervisor(program: str = WAITS, **more: Any) -> Supervisor:
    return Supervisor("grader", [sys.executable, "-c", program], pause_s=0.05, **more)


@pytest.fixture
def watched() -> Iterator[Supervisor]:
    found = supervisor()
    yield found
    found.stop()


def test_a_process_that_was_killed_is_started_again(watched: Supervisor) -> None:
    watched.start()
    first = _new(watched, None)
    os.kill(first, signal.SIGKILL)
    second = _new(watched, first)
    watched.stop()
    assert not _is_alive(second)


@pytest.mark.slow
def test_a_process_that_does_not_listen_is_ended_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hotloop.service.web.supervisor.END_S", 0.3)
    watched = supervisor(DEAF)
    watched.start()
    process = _new(watched, None)
    time.sleep(0.3)
    watched.stop()
    assert not _is_alive(process)


def test_each_end_is_told() -> None:
    ends: list[bool] = []
    watched = supervisor("pass", ended=lambda: ends.append(True))
    watched.start()
    until(lambda: len(ends) > 1, 20)
    watched.stop()


def test_a_password_is_no_argument(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = f"import os; open({str(seen)!r}, 'w').write(os.environ['SECRET']); {WAITS}"
    watched = supervisor(program, environment={"SECRET": "a-secret"})
    watched.start()
    until(lambda: seen.exists() and seen.read_text() == "a-secret", 20)
    assert b"a-secret" not in Path(f"/proc/{watched.process}/cmdline").read_bytes()
    assert "a-secret" not in repr(watched)
    watched.stop()


def _new(watched: Supervisor, before: int | None) -> int:
    until(lambda: watched.process not in (None, before), 20)
    assert watched.process is not None
    return watched.process


def _is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()
