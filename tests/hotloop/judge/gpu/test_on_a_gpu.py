"""What only a GPU can show. tests/gpu/calibrate.py measures more and prints the figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.checks.fused_softmax import tasks
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.card import Card, open_card
from hotloop.judge.gpu.window import DeviceSide
from hotloop.judge.gpu.workers import trusted_worker
from hotloop.judge.launcher import Launcher
from hotloop.judge.rungs.gpu_correct import ask
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import Session
from hotloop.sandbox.level import level

pytestmark = pytest.mark.gpu

BASELINES = Path(tasks.__file__).parent
FIVE_OPS = Candidate("five_ops", "baselines.py", "destination")


@pytest.fixture(scope="module")
def card() -> Card:
    return open_card()


@pytest.fixture(params=["bubblewrap", "none"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    if request.param == "bubblewrap" and level()[0] != "bubblewrap":
        pytest.skip("needs bubblewrap")
    session = Session(
        Candidate("nobody"),
        files=None,
        launcher=Launcher(request.param),
        connect=lambda: None,
        budget=Budget(300),
        device="cuda",
    )
    yield session
    session.close()


def test_memory_is_shared_with_a_worker(card: Card, session: Session) -> None:
    check = tasks.triton_forward.rungs["gpu_correct"]
    with trusted_worker(session, BASELINES, card) as link:
        link.resolve(FIVE_OPS.name, FIVE_OPS.file, 120)
        for case in check.cases(Seeds().generator()):
            if "−inf" in case.label:
                continue
            answer = ask(case, FIVE_OPS, link, card.driver, Seeds(), 60)
            assert answer.shape == case.out.shape


def test_an_honest_window_counts(card: Card, session: Session) -> None:
    workload = tasks.triton_forward.rungs["gpu_fast"].workload
    card.clocks.expected_clients = 2
    with trusted_worker(session, BASELINES, card) as link:
        link.resolve(FIVE_OPS.name, FIVE_OPS.file, 120)
        free = card.driver.memory()[0]
        side = DeviceSide(link, FIVE_OPS, workload, card, Seeds(), free)
        side.plan([workload.spec(Seeds().generator(), 0)] * 8)
        side.window([False] * 8)
        windows = [side.window([i == 3 for i in range(8)]) for _ in range(4)]
        side.close()
    assert any(w.counts for w in windows)


def test_the_probe_says_idle_when_nobody_computes(card: Card) -> None:
    assert sum(card.probe.idle() for _ in range(20)) >= 19
