"""Checks whose candidate gets its inputs in host memory, on a fake GPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge import oracle as oracles
from hotloop.judge import window
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks import gpu_from_host as module
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost, OnGpuFromHost
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu import workers
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.levels import Level
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.speed import Pace
from hotloop.judge.window import Workload

from ...sessions import new_session

SPEC = CallSpec((TensorSpec((64,), FP32),), TensorSpec((64,), FP32))
TWICE = "import time\ndef softmax(x, out):\n    time.sleep({seconds})\n    out.copy_(2 * x)\n"
WRONG = "def softmax(x, out):\n    out.copy_(3 * x)\n"
CANDIDATE = Candidate("softmax", "training.py", "destination")
SLOW = 0.05


def unequal(_case: Case, got: Floats, want: Floats) -> str | None:
    return None if np.array_equal(got, want) else "They differ"


def fill(rng: np.random.Generator, call: PlacedCall, _hostile: bool) -> None:
    call.input(0)[...] = rng.standard_normal(64)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("a run", (InputTensor(rng.standard_normal(64), FP32),), SPEC.out)


ORACLE = Oracle({}, "oracle.py")
CORRECT = Correct(Truth(cases, ORACLE.function("train", unequal)), on=OnGpuFromHost())
FAST = GpuFastFromHost(
    Workload(lambda _rng, _i: SPEC, fill),
    Baseline(Path("baseline.py"), "train"),
    ORACLE.function("train", unequal),
    lambda _spec: 1000,
    seconds=60.0,
    pace=Pace(looks=(5, 10, 20)),
)
LEVELS = (Level(1.5, 0.5), Level(2.0, 1.0))
TASK = TaskSpec("train", ("loop.py",), {"r": CheckSpec(levels=LEVELS)})


@pytest.fixture
def session() -> Iterator[Session]:
    session = new_session(budget_s=100, device="cuda", spec=TASK)
    yield session
    session.close()


@pytest.fixture
def judge(card: Card, start: Any, session: Session, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Judges a candidate's source by a check; the trusted function doubles its input."""

    @contextmanager
    def trusted(_session: Session, _folder: Path, _card: Card) -> Iterator[Any]:
        worker = start(TWICE.format(seconds=SLOW), trusted=True).connection
        monkeypatch.setattr(worker, "resolve", lambda *_: None)
        yield worker

    def judged(check: Any, source: str) -> Any:
        @contextmanager
        def candidate(_session: Session, _card: Card) -> Iterator[Any]:
            yield start(source).connection

        monkeypatch.setattr(module, "candidate_worker", candidate)
        return judge_check("r", check, session.about(CANDIDATE))

    card.free_bytes = card.driver.memory()[0]
    monkeypatch.setattr(workers, "card_for", lambda _session: card)
    monkeypatch.setattr(module, "trusted_worker", trusted)
    monkeypatch.setattr(oracles, "trusted_worker", trusted)
    monkeypatch.setattr(module, "measure", lambda _link, **_options: Ceiling(1e12, 1e12))
    # Other tests may run in parallel; rulings on noise are tested elsewhere.
    monkeypatch.setattr(window, "FOREIGN_SHARE", 1.0)
    monkeypatch.setattr(module, "CONTROL_TOLERANCE", 0.5)
    return judged


@pytest.mark.slow
def test_right_and_wrong_answers(judge: Any) -> None:
    assert judge(CORRECT, TWICE.format(seconds=0)).verdict is Verdict.PASSED
    record = judge(CORRECT, WRONG)
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "They differ" in record.sentence


def test_an_oracle_that_changes_its_input_is_no_fault_of_the_candidate(
    judge: Any, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def trusted(_session: Session, _folder: Path, _card: Card) -> Iterator[Any]:
        worker = start("def softmax(x, out):\n    x += 1\n", trusted=True).connection
        monkeypatch.setattr(worker, "resolve", lambda *_: None)
        yield worker

    monkeypatch.setattr(oracles, "trusted_worker", trusted)
    record = judge(CORRECT, TWICE.format(seconds=0))
    assert record.verdict is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_a_fast_loop(judge: Any) -> None:
    record = judge(FAST, TWICE.format(seconds=SLOW / 5))
    assert record.verdict is Verdict.PASSED
    assert record.evidence["gpu"] == "Fake GPU 0"
    assert record.evidence["flops_per_call"] == 1000
    assert 2 < record.evidence["ratio"] < 8


@pytest.mark.slow
def test_what_the_candidate_has_made_is_timed_and_ours_is_prepared(judge: Any, start: Any) -> None:
    prepared: list[Any] = []

    @contextmanager
    def entrant(_session: Session, _card: Card) -> Iterator[Any]:
        yield start(TWICE.format(seconds=SLOW / 5)).connection, CANDIDATE

    def prepare(worker: Any, _session: Session) -> None:
        prepared.append(worker)

    fast = replace(
        FAST,
        baseline=replace(FAST.baseline, prepare=prepare, label="eager"),
        oracle=replace(ORACLE, prepare=prepare).function("train", unequal),
        entrant=entrant,
    )
    record = judge(fast, WRONG)
    assert record.verdict is Verdict.PASSED
    assert record.evidence["baseline"] == "eager"
    assert len(prepared) == 2
    assert judge(replace(CORRECT, on=OnGpuFromHost(entrant)), WRONG).verdict is Verdict.PASSED


@pytest.mark.slow
def test_a_loop_as_slow_as_the_slow_one(judge: Any) -> None:
    assert judge(FAST, TWICE.format(seconds=SLOW)).verdict is Verdict.TOO_SLOW


def test_wrong_in_a_timed_call(judge: Any) -> None:
    assert "In a timed call: They differ" in judge(FAST, WRONG).sentence


@pytest.mark.slow
def test_others_on_the_card(judge: Any, fake: Any) -> None:
    fake.set(clients=9)
    record = judge(FAST, TWICE.format(seconds=0))
    assert record.verdict is Verdict.UNDECIDED
    assert "Others used the GPU all the time" in record.sentence


def test_without_a_card_nothing_is_measured(session: Session, no_card: str) -> None:
    for check in (CORRECT, FAST):
        record = judge_check("r", check, session.about(CANDIDATE))
        assert record.verdict is Verdict.NOT_MEASURED
        assert record.sentence == no_card
