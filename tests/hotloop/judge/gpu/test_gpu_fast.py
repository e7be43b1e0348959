"""The check gpu_fast, end to end on a fake GPU; sleeping replaces computing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import speed
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks import gpu_fast as module
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu import length, window
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.levels import Level
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.speed import Pace

from ...sessions import new_session

SHAPE = (16, 32)
COPY = "import time\ndef softmax(x, out):\n    time.sleep({seconds})\n    out.copy_(x)\n"
LEVELS = (Level(2.0, 0.5), Level(3.0, 1.0), Level(20.0, 0.0))
SLOW = 0.08

CHECK = GpuFast(
    DeviceWorkload(
        spec=lambda _rng, _i: CallSpec((TensorSpec(SHAPE, FP32),), TensorSpec(SHAPE, FP32)),
        draws=lambda _rng, _spec, hostile: [Normal(1.0, "spikes" if hostile else "plain")],
        truth=lambda x: x,
        tolerance=lambda _spec: Tolerance(0.0, 0.0),
    ),
    Baseline(Path("baseline.py"), "softmax"),
    lambda spec: 2 * spec.out.bytes,
    seconds=60.0,
    pace=Pace(looks=(5,)),
)
SPEC = TaskSpec("softmax", ("c.py",), {"gpu_fast": CheckSpec(levels=LEVELS)})


@pytest.fixture
def session() -> Session:
    return new_session(budget_s=100, device="cuda", spec=SPEC)


@pytest.fixture
def judge(card: Card, start, session: Session, monkeypatch: pytest.MonkeyPatch):
    """Judges a candidate of a given time per call against a baseline of SLOW seconds."""

    @contextmanager
    def trusted(_session: Session, _folder: Path, _card: Card) -> Iterator[Any]:
        worker = start(COPY.format(seconds=SLOW), trusted=True).connection
        monkeypatch.setattr(worker, "resolve", lambda *_: None)
        yield worker

    def judged(source: str, bytes_per_s: float = 1e12):
        @contextmanager
        def candidate(_session: Session, _card: Card) -> Iterator[Any]:
            yield start(source).connection

        monkeypatch.setattr(module, "candidate_worker", candidate)
        monkeypatch.setattr(module, "measure", lambda _link, **_options: Ceiling(bytes_per_s))
        return judge_check(
            "gpu_fast", CHECK, session.about(Candidate("softmax", "c.py", "destination"))
        )

    card.free_bytes = card.driver.memory()[0]
    monkeypatch.setattr(module, "card_for", lambda _session: card)
    monkeypatch.setattr(module, "trusted_worker", trusted)
    monkeypatch.setattr(length, "WINDOW_S", 0.001)
    monkeypatch.setattr(length, "L2_TIMES", 0)
    # Other tests may run in parallel; rulings on noise are tested elsewhere.
    monkeypatch.setattr(window, "FOREIGN_SHARE", 1.0)
    monkeypatch.setattr(module, "CONTROL_TOLERANCE", 0.5)
    monkeypatch.setattr(module, "take_off_protocol", lambda *_: 0.0)
    return judged


@pytest.mark.slow
def test_a_fast_candidate(judge) -> None:
    record = judge(COPY.format(seconds=SLOW / 8))
    assert record.verdict is Verdict.PASSED
    assert record.earned == 1.0
    assert 2 < record.evidence["ratio"] < 12
    assert record.evidence["gpu"] == "Fake GPU 0"
    assert record.evidence["clock"] == "1980 of 1980 MHz"
    assert len(record.evidence["samples"]["candidate"]) >= 5


@pytest.mark.slow
def test_a_candidate_as_slow_as_the_baseline(judge) -> None:
    record = judge(COPY.format(seconds=SLOW))
    assert record.verdict is Verdict.TOO_SLOW
    assert record.earned == 0
    assert "first level is 2×" in record.sentence


@pytest.mark.slow
def test_a_hopeless_candidate_ends_in_its_warm_up(judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "PATIENCE_S", 0.1)
    record = judge(COPY.format(seconds=10 * SLOW))
    assert record.verdict is Verdict.TOO_SLOW
    assert "in the fastest of 3 tries" in record.sentence


@pytest.mark.slow
def test_wrong_in_a_timed_call(judge) -> None:
    record = judge("def softmax(x, out):\n    out.copy_(x)\n    out[3] = 0\n")
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "timed call" in record.sentence


@pytest.mark.slow
def test_faster_than_the_card(judge) -> None:
    record = judge(COPY.format(seconds=SLOW / 8), bytes_per_s=1e3)
    assert record.verdict is Verdict.IMPLAUSIBLE


@pytest.mark.slow
def test_others_on_the_card(judge, fake) -> None:
    fake.set(clients=9)
    record = judge(COPY.format(seconds=0))
    assert record.verdict is Verdict.UNDECIDED
    assert "Others used the GPU" in record.sentence


class Confined:
    def __init__(self, end) -> None:
        self.kill = end


def test_the_candidate_is_blamed_if_the_card_rests_without_it(card: Card, start, fake) -> None:
    fake.set(clients=5)
    worker = start("def softmax(): pass\n").connection
    worker.confined = Confined(lambda: fake.set(clients=2))
    assert module.blame(worker, card, "busy").verdict is Verdict.TAMPERED


def test_others_are_blamed_if_it_does_not(card: Card, start, fake) -> None:
    fake.set(clients=5)
    worker = start("def softmax(): pass\n").connection
    worker.confined = Confined(lambda: fake.set(clients=4))
    assert module.blame(worker, card, "busy").verdict is Verdict.UNDECIDED
    worker.confined = None
    assert module.blame(worker, card, "busy").verdict is Verdict.UNDECIDED


class TimedWorker:
    """The parts of a side that `take_off_protocol` uses."""

    layout = None
    legs = 2
    calls = (None, None)
    leg_cost_s = 0.0

    def __init__(self, cost: float, spread: float, window_s: float) -> None:
        self._cost = (cost, spread)
        self._window_s = window_s

    def protocol_cost(self, _layout: object) -> tuple[float, float]:
        return self._cost

    def window(self, _adversarial: list[bool]):
        return window.DeviceWindow(self._window_s, intact=True, clean=True, foreign=0.0)


def test_the_protocols_cost_must_be_certain() -> None:
    steady = TimedWorker(0.002, 0.0001, 0.04)
    assert module.take_off_protocol(steady, steady) == pytest.approx(0.1)  # type: ignore[arg-type]
    assert steady.leg_cost_s == 0.002
    uneven = TimedWorker(0.002, 0.0003, 0.04)
    with pytest.raises(Ruling) as ruling:
        module.take_off_protocol(uneven, uneven)  # type: ignore[arg-type]
    assert ruling.value.verdict is Verdict.UNDECIDED


def test_the_limit_is_the_slower_of_bytes_and_operations() -> None:
    from dataclasses import replace

    spec = CHECK.workload.spec(np.random.default_rng(), 0)

    class Calls:
        calls = (type("Call", (), {"spec": spec}),)

    moved = 2 * 16 * 32 * 4
    side: Any = Calls()
    assert CHECK._limit(Ceiling(1e3, 1e9), side).seconds == pytest.approx(moved / 1e3)
    counting = replace(CHECK, fewest_flops=lambda _spec: 10**7)
    assert counting._limit(Ceiling(1e9, 1e6), side).seconds == pytest.approx(10.0)


@pytest.mark.usefixtures("no_card")
def test_without_a_gpu_it_is_not_measured(session: Session) -> None:
    record = judge_check(
        "gpu_fast", CHECK, session.about(Candidate("softmax", "c.py", "destination"))
    )
    assert (record.verdict, record.earned) == (Verdict.NOT_MEASURED, 0)
