"""The proof that nobody computes on the device."""

from __future__ import annotations

import time

import pytest

from hotloop.judge.gpu import idle
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.idle import IdleProbe


@pytest.fixture
def probe(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> IdleProbe:
    monkeypatch.setattr(idle, "WAKE_S", 0.01)
    probe = IdleProbe(driver, lambda: time.sleep(0.002))
    assert not probe.calibrated
    probe.calibrate()
    return probe


def test_alone_it_is_idle(probe: IdleProbe) -> None:
    assert probe.calibrated
    assert probe.alone_s > 0.004
    assert probe.idle()


def test_taking_turns_with_somebody_is_not_idle(probe: IdleProbe, fake) -> None:
    fake.set(contention_us=int(probe.alone_s * 1e6))
    assert probe.ratio() > 1.8
    assert not probe.idle()


def test_a_device_that_never_answers_is_not_idle(
    probe: IdleProbe, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "PATIENCE_S", 0.02)
    fake.set(busy=1)
    assert probe.ratio() == float("inf")
