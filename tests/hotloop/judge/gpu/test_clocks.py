"""Clock, throttle and client scenarios through a fake NVML."""

import os
import signal
import subprocess

import pytest

from hotloop.judge.gpu.clocks import Clocks
from hotloop.judge.gpu.nvml import Nvml, NvmlError


@pytest.fixture
def clocks(fake) -> Clocks:
    return Clocks(Nvml("0000:00:00.0", fake.nvml))


def test_a_quiet_card(clocks: Clocks) -> None:
    state = clocks.state()
    assert not state.throttled
    assert state.words() == "1980 of 1980 MHz"
    assert not clocks.crowded()


@pytest.mark.parametrize(
    ("weather", "throttled", "words"),
    [
        ({"sm_mhz": 1500}, False, "1500 of 1980 MHz"),
        ({"sm_mhz": 1480}, True, "1480 of 1980 MHz"),
        ({"sm_mhz": 1700, "reasons": 0x4}, False, "1700 of 1980 MHz (power cap)"),
        ({"sm_mhz": 1400, "reasons": 0x4}, True, "1400 of 1980 MHz (power cap)"),
        ({"reasons": 0x40}, True, "1980 of 1980 MHz (hardware thermal slowdown)"),
        ({"reasons": 0x1}, False, "1980 of 1980 MHz"),
    ],
)
def test_throttling(clocks: Clocks, fake, weather, throttled: bool, words: str) -> None:
    fake.set(**weather)
    state = clocks.state()
    assert state.throttled is throttled
    assert state.words() == words


def test_a_card_that_never_reaches_its_highest_clock(clocks: Clocks, fake) -> None:
    """By design on L4, A10G and H100 PCIe: the clock of the calibration counts."""
    fake.set(sm_mhz=1100)
    clocks.calibrate()
    assert not clocks.state().throttled
    fake.set(sm_mhz=830)
    assert not clocks.state().throttled
    fake.set(sm_mhz=820)
    assert clocks.state().throttled


def test_a_stopped_notebook_of_another_grading_is_nobody(clocks: Clocks, fake) -> None:
    with subprocess.Popen(["sleep", "60"]) as neighbor:
        try:
            fake.set(clients=2, pid0=os.getpid(), pid1=neighbor.pid)
            # Our own descendants are counted among the expected ones, stopped or not.
            assert clocks.crowded()
            clocks.expected_clients = 2
            assert not clocks.crowded()
        finally:
            neighbor.kill()


def test_who_is_stopped_elsewhere_does_not_count(
    clocks: Clocks, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotloop.sandbox.processes.tree", lambda root: [root])
    with subprocess.Popen(["sleep", "60"]) as neighbor:
        try:
            fake.set(clients=2, pid0=os.getpid(), pid1=neighbor.pid)
            assert clocks.crowded()
            os.kill(neighbor.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, neighbor.pid, os.WSTOPPED | os.WNOWAIT)
            assert not clocks.crowded()
            fake.set(clients=2, pid1=neighbor.pid)
            assert clocks.crowded(), "ids of another namespace tell nothing"
        finally:
            neighbor.kill()


def test_a_container_in_which_no_process_is_seen(clocks: Clocks, fake) -> None:
    assert not clocks.blind
    fake.set(clients=0)
    assert clocks.blind


def test_other_clients(clocks: Clocks, fake) -> None:
    fake.set(clients=3)
    clocks.expected_clients = 3
    assert not clocks.crowded()
    fake.set(clients=4)
    assert clocks.crowded()


def test_more_clients_than_one_can_list(clocks: Clocks, fake) -> None:
    fake.set(clients=65)
    assert clocks.state().clients == 65


def test_slices_and_persistence(fake) -> None:
    nvml = Nvml("0000:00:00.0", fake.nvml)
    assert not nvml.sliced()
    assert nvml.persistent()
    fake.set(mig=1, persistence=0)
    assert nvml.sliced()
    assert not nvml.persistent()


def test_a_library_that_refuses(fake) -> None:
    fake.set(nvml_error=3)
    with pytest.raises(NvmlError, match="nvmlInit_v2 failed: Not Supported"):
        Nvml("0000:00:00.0", fake.nvml)
