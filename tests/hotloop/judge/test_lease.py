"""A measurement runs alone, and later arrivals do not delay it."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hotloop.judge import lease
from hotloop.judge.lease import Lease, NotOurFolder

_HOLD = """
import sys
from pathlib import Path
from hotloop.judge.lease import Lease
with Lease(Path(sys.argv[1])).exclusive():
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """Hold the machine exclusively in another process."""
    command = [sys.executable, "-c", _HOLD, str(folder)]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_many_share(tmp_path: Path) -> None:
    waited: list[str] = []
    with Lease(tmp_path).shared(), Lease(tmp_path).shared(lambda: waited.append("second")):
        pass
    assert waited == []


def test_nobody_enters_beside_one_who_measures(tmp_path: Path) -> None:
    events: list[str] = []

    def enter() -> None:
        with Lease(tmp_path).shared(lambda: waiting.set()):
            events.append("entered")

    waiting = threading.Event()
    with Lease(tmp_path).exclusive():
        thread = threading.Thread(target=enter)
        thread.start()
        assert waiting.wait(10)
        events.append("measured")
    thread.join(10)
    assert events == ["measured", "entered"]


def test_a_patient_measurement_lets_others_work_until_all_have_come_to_theirs(
    tmp_path: Path,
) -> None:
    events: list[str] = []
    waiting = threading.Semaphore(0)

    def measure() -> None:
        with Lease(tmp_path).exclusive(waiting.release, patience_s=20.0):
            events.append("measured")

    threads = [threading.Thread(target=measure) for _ in range(3)]
    with Lease(tmp_path).shared():
        for thread in threads:
            thread.start()
            assert waiting.acquire(timeout=10)
        with Lease(tmp_path).shared():
            events.append("entered")
    for thread in threads:
        thread.join(10)
    assert events == ["entered", "measured", "measured", "measured"]


@pytest.mark.slow
def test_patience_ends(tmp_path: Path) -> None:
    measuring = threading.Event()
    with Lease(tmp_path).shared():
        events: list[str] = []

        def measure() -> None:
            with Lease(tmp_path).exclusive(measuring.set, patience_s=0.2):
                events.append("measured")

        first = threading.Thread(target=measure)
        first.start()
        assert measuring.wait(10)
        time.sleep(0.5)
        later = threading.Event()

        def enter() -> None:
            with Lease(tmp_path).shared(later.set):
                events.append("entered")

        second = threading.Thread(target=enter)
        second.start()
        assert later.wait(10), "the turnstile is locked by now"
    for thread in (first, second):
        thread.join(10)
    assert events == ["measured", "entered"]


def test_who_waits_while_another_measures_follows_before_new_work(tmp_path: Path) -> None:
    events: list[str] = []
    waits = [threading.Event() for _ in range(2)]

    def measure() -> None:
        with Lease(tmp_path).exclusive(waits[0].set, patience_s=20.0):
            events.append("measured")

    def enter() -> None:
        with Lease(tmp_path).shared(waits[1].set):
            events.append("entered")

    threads = [threading.Thread(target=target) for target in (measure, enter)]
    with Lease(tmp_path).exclusive():
        for thread, waiting in zip(threads, waits, strict=True):
            thread.start()
            assert waiting.wait(10)
            time.sleep(0.1)
    for thread in threads:
        thread.join(10)
    assert events == ["measured", "entered"]


def test_one_who_measures_goes_before_those_who_come_later(tmp_path: Path) -> None:
    events: list[str] = []
    measuring, later = threading.Event(), threading.Event()

    def measure() -> None:
        with Lease(tmp_path).exclusive(measuring.set):
            events.append("measured")

    def enter() -> None:
        with Lease(tmp_path).shared(later.set):
            events.append("entered")

    with Lease(tmp_path).shared():
        first = threading.Thread(target=measure)
        first.start()
        assert measuring.wait(10)
        second = threading.Thread(target=enter)
        second.start()
        assert later.wait(10)
        events.append("left")
    for thread in (first, second):
        thread.join(10)
    assert events == ["left", "measured", "entered"]


@pytest.mark.slow
def test_a_process_that_is_killed_lets_go(tmp_path: Path) -> None:
    process = hold(tmp_path)
    waited: list[str] = []
    killer = threading.Timer(0.5, process.kill)
    killer.start()
    with process, Lease(tmp_path).exclusive(lambda: waited.append("first")):
        assert waited == ["first"]


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(NotOurFolder, match="somebody else"), Lease(tmp_path).shared():
        raise AssertionError


def test_two_who_shared_and_want_to_measure_do_so_one_after_the_other(tmp_path: Path) -> None:
    both_share = threading.Barrier(2)
    inside, most = [0], [0]

    def grade() -> None:
        with Lease(tmp_path).turn() as turn:
            both_share.wait(10)
            turn.alone()
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.05)
            inside[0] -= 1

    threads = [threading.Thread(target=grade) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    assert most == [1]
