"""The proof that no other process computes on the device."""

import pytest

from hotloop.judge.gpu import idle
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.idle import IdleProbe


@pytest.fixture
def probe(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> IdleProbe:
    monkeypatch.setattr(idle, "WAKE_S", 0.01)
    probe = IdleProbe(driver, lambda: None)
    assert not probe.calibrated
    probe.calibrate()
    return probe


def test_alone_it_is_idle(probe: IdleProbe) -> None:
    assert probe.calibrated
    assert probe.alone_s == pytest.approx(0.01)
    assert probe.ratio() == pytest.approx(1.0)
    assert probe.idle()


def test_taking_turns_with_somebody_is_not_idle(probe: IdleProbe, fake) -> None:
    fake.set(contention_us=2000)
    assert probe.idle()
    fake.set(contention_us=10000)
    assert probe.ratio() == pytest.approx(2.0)
    assert not probe.idle()


def test_a_device_that_never_answers_is_not_idle(
    probe: IdleProbe, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "TIMEOUT_S", 0.02)
    fake.set(busy=1)
    assert probe.ratio() == float("inf")


def test_without_sleeping_an_end_is_seen_at_once(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sleep of 100 µs between two polls would be 1 % of a leg of 10 ms."""
    slept: list[float] = []
    monkeypatch.setattr(idle.time, "sleep", slept.append)

    class Soon:
        looks = 0

        def reached(self) -> bool:
            self.looks += 1
            return self.looks > 50

    assert idle.reached_within(Soon(), 5.0, spin_s=1.0)  # type: ignore[arg-type]
    assert slept == []
    assert idle.reached_within(Soon(), 5.0)  # type: ignore[arg-type]
    assert len(slept) == 50
