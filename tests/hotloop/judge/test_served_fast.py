"""Speed of a served repository on simulated windows: levels, tails, and messages about them."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from bs4 import BeautifulSoup

from hotloop.author import evidence
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_check
from hotloop.judge.checks.served_fast import ServedFast, tail_of
from hotloop.judge.levels import Level
from hotloop.judge.load_window import LoadedServer, LoadedWindow
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.task import find
from hotloop.verdicts import picture, render_record

SessionOver = Callable[..., Session]
REQUESTS = 256
WINDOW_S, TAIL_S = 0.25, 0.018
"""Values of the untuned repository."""


class Side:
    """Windows of about `seconds`, with a 95th percentile latency of `tail`."""

    def __init__(
        self,
        seconds: float = WINDOW_S,
        tail: float = TAIL_S,
        *,
        noise: float = 0.02,
        tail_noise: float = 0.05,
        seed: int = 0,
    ) -> None:
        self.calls = range(REQUESTS)
        self.tails: dict[float, float] = {}
        self.rng = np.random.default_rng(seed)
        self.drawn = ((seconds, noise), (tail, tail_noise))
        self.adversarial: set[int] = set()

    def window(self, adversarial: Sequence[bool]) -> LoadedWindow:
        self.adversarial.add(sum(adversarial))
        seconds, tail = (
            middle * math.exp(self.rng.normal(0, noise)) for middle, noise in self.drawn
        )
        self.tails[seconds / len(self.calls)] = tail
        return LoadedWindow(seconds, tail, foreign=0.0, intact=True)


def check(clients: int = 16, limit_s: float = 0.0003, **more: Any) -> ServedFast:
    def never(_session: Session) -> Path:
        raise AssertionError("no server is needed here")

    given: dict[str, Any] = {
        "limit_s": lambda _session, _rows: limit_s,
        "requests": REQUESTS,
        **more,
    }
    return ServedFast(never, never, cast(Any, never), clients=clients, **given)


LEVELS = (Level(1.15, 0.5), Level(1.3, 1.0), Level(1.7, 0.0))


def measured_by(*levels: Level) -> TaskSpec:
    return TaskSpec("topics", ("config.pbtxt",), {"throughput": CheckSpec(levels=levels)})


def judged(session: Session, ours: Side, theirs: Side, **more: Any) -> CheckRecord:
    a, b = cast(LoadedServer, cast(Any, ours)), cast(LoadedServer, cast(Any, theirs))
    measured = check(**more)
    return judge_check("throughput", lambda own: measured._judge(a, b, own), session)


def faster(ratio: float, tail_ratio: float = 1.0, **more: Any) -> Side:
    return Side(WINDOW_S / ratio, TAIL_S / tail_ratio, seed=1, **more)


@pytest.mark.parametrize(
    ("ratio", "verdict", "earned"),
    [
        (0.9, Verdict.TOO_SLOW, 0.0),
        (1.05, Verdict.TOO_SLOW, 0.0),
        (1.22, Verdict.PARTIAL, 0.5),
        (1.5, Verdict.PASSED, 1.0),
        (2.0, Verdict.PASSED, 1.0),
    ],
)
def test_levels(session_over: SessionOver, ratio: float, verdict: Verdict, earned: float) -> None:
    record = judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(ratio))
    assert (record.verdict, record.earned) == (verdict, earned)
    assert f"{record.evidence['ratio']:.2f}× the baseline" in record.sentence


def test_about_a_quarter_of_the_requests_is_awkward_on_both_sides(
    session_over: SessionOver,
) -> None:
    ours, theirs = Side(), faster(1.5)
    judged(session_over(spec=measured_by(*LEVELS)), ours, theirs)
    assert ours.adversarial == theirs.adversarial == {REQUESTS // 4}


# --- the slowest answers --------------------------------------------------------------------------


def test_throughput_at_the_cost_of_those_who_wait_longest_earns_nothing(
    session_over: SessionOver,
) -> None:
    record = judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(1.5, tail_ratio=0.6))
    assert (record.verdict, record.earned) == (Verdict.TOO_SLOW, 0.0)
    assert "95% of the answers came within 18" in record.sentence
    assert "now within 30" in record.sentence.replace("29.", "30.")
    ratio, low, high = record.evidence["p95_ratio"]
    assert low <= ratio <= high < 0.95
    assert record.evidence["ratio"] > 1.4, "the throughput is told all the same"


@pytest.mark.parametrize(("tail_ratio", "earned"), [(0.85, 0.0), (0.98, 1.0), (1.3, 1.0)])
def test_the_tail_counts_when_it_is_surely_worse(
    session_over: SessionOver, tail_ratio: float, earned: float
) -> None:
    assert (
        judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(1.5, tail_ratio)).earned
        == earned
    )


def test_a_tail_that_cannot_be_told_from_the_old_one_costs_nothing(
    session_over: SessionOver,
) -> None:
    """15 % worse by the medians of windows that vary by half: that may be chance."""
    record = judged(
        session_over(spec=measured_by(*LEVELS)),
        Side(tail_noise=0.5),
        Side(WINDOW_S / 1.5, TAIL_S * 1.15, tail_noise=0.5),
    )
    assert record.evidence["p95_ratio"][2] >= 0.95
    assert record.earned == 1.0


def test_one_client_has_no_tail_rule(session_over: SessionOver) -> None:
    """With one client, latency is what is measured anyway."""
    session = session_over(spec=measured_by(Level(0.8, 1.0)))
    record = judged(session, Side(), faster(0.95, 0.5), clients=1)
    assert record.earned == 1.0
    assert record.evidence["measures"] == "requests of one client, in a closed loop"
    slow = judged(session, Side(), faster(0.4), clients=1)
    assert slow.verdict is Verdict.TOO_SLOW
    assert "the next level is 0.8×" in slow.sentence


def test_what_earned_nothing_is_not_told_of_its_tail(session_over: SessionOver) -> None:
    record = judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(0.9, tail_ratio=0.5))
    assert "others wait" not in record.sentence


def test_tails_are_those_of_the_windows_that_count() -> None:
    side = Side()
    side.tails.update({0.1: 1.0, 0.2: 2.0, 0.3: 3.0, 9.0: 99.0})
    assert tail_of([[0.1, 0.2], [0.3]], cast(LoadedServer, cast(Any, side))) == 2.0


# --- limits and noise -----------------------------------------------------------------------------


def test_faster_than_the_network_alone_is_implausible(session_over: SessionOver) -> None:
    """A request takes WINDOW_S / 2 / 256 = 0.49 ms here."""
    assert (
        judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(2.0), limit_s=0.0005).earned
        == 1.0
    )
    record = judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(2.0), limit_s=0.001)
    assert record.verdict is Verdict.IMPLAUSIBLE


def test_a_noisy_machine_leaves_it_open(session_over: SessionOver) -> None:
    for noise, seconds in ((0.6, 0.5), (0.2, 5.0)):
        record = judged(
            session_over(spec=measured_by(*LEVELS)),
            Side(noise=noise),
            faster(1.3, noise=noise),
            seconds=seconds,
        )
        assert record.verdict is Verdict.UNDECIDED
        assert record.earned == 0.0
        assert record.evidence["ratio"] > 0


# --- what others make of it -----------------------------------------------------------------------


@pytest.fixture
def record(session_over: SessionOver) -> Record:
    measured = judged(session_over(spec=measured_by(*LEVELS)), Side(), faster(1.5))
    about = Circumstances("ab", "0", "m", "A CPU", "", {}, "00", "bubblewrap", "t", 3.0)
    checks = (
        CheckRecord("batches", Verdict.PASSED, "Fine.", 1.0, evidence={"mean": 7.1}),
        measured,
    )
    return Record("triton_ensemble", "tune", measured.verdict, measured.sentence, checks, about)


def test_its_evidence_is_plain_json(record: Record) -> None:
    written = json.dumps(record.to_json(), allow_nan=False)
    again = Record.from_json(json.loads(written))
    assert json.loads(json.dumps(again.to_json())) == json.loads(written)
    found = record.check("throughput").evidence
    assert found["unit"] == "seconds per call"
    assert found["calls_per_window"] == REQUESTS
    assert len(found["p95_seconds"]) == 2
    assert found["p95_seconds"][0] == pytest.approx(TAIL_S, rel=0.05)


def test_feedback_shows_it(record: Record) -> None:
    soup = BeautifulSoup(render_record.html(record), "html.parser")
    shown = " ".join(soup.get_text(" ").split())
    assert len(soup.find_all("svg")) == 1, "of the check that was measured"
    assert "256 requests of 16 clients" in shown
    assert "95 % of the answers came within" in shown
    assert "as fast as naive" in shown
    assert "GB/s" not in shown
    drawn = picture.bars(record.check("throughput").evidence)
    assert [bar.label for bar in drawn] == ["naive", "yours", "network alone"]


@pytest.mark.slow
def test_a_run_file_takes_it(record: Record) -> None:
    run = evidence.run_of("triton_ensemble", [("reference", record)])
    [batches, fast] = run.measurements
    assert batches.ratio is None
    assert (fast.check, fast.shape, fast.dtype, fast.gb_per_s) == (
        "throughput",
        [16],
        "clients",
        None,
    )
    assert fast.ratio is not None
    assert fast.ratio.estimate == pytest.approx(1.5, rel=0.05)
    assert fast.baseline_p50_ms == pytest.approx(1e3 * WINDOW_S / REQUESTS, rel=0.05)
    assert run.model_validate_json(run.model_dump_json()) == run
    assert run.ceilings == {}


def test_the_task_measures_after_the_batches_are_right() -> None:
    checks = find("triton_ensemble", "tune").checks
    assert list(checks) == ["batches", "throughput", "alone"]
    assert all(checks[name].prerequisites == ("batches",) for name in ("throughput", "alone"))
