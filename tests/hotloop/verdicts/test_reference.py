"""The reference's bar in a feedback drawing comes from a recorded run of the same device."""

import datetime

import pytest

from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.verdicts import reference
from hotloop.verdicts.render_record import html

MEASURED = curriculum.Measurement(
    candidate="reference",
    task="task",
    check="fast",
    verdict=Verdict.PASSED,
    earned=1.0,
    sentence="Fast.",
    threads=1,
    ratio=curriculum.Ratio(estimate=2.5, low=2.4, high=2.6),
)
SPEED = {
    "baseline_seconds": {"p50": 0.002},
    "candidate_seconds": {"p50": 0.001},
    "ratio": 2.0,
    "interval": [1.9, 2.1],
    "threads": 1,
}


def _run(device: str, *measured: curriculum.Measurement) -> curriculum.RecordedRun:
    return curriculum.RecordedRun(
        format=1,
        module="m",
        device=device,
        kind="cpu",
        driver="",
        date=datetime.date(2026, 11, 20),
        libraries={},
        isolation="bubblewrap",
        ceilings={},
        measurements=list(measured),
    )


def _record(device: str = "A CPU", **evidence: object) -> Record:
    circumstances = Circumstances("ab", "0.1", "", device, "", {}, "00", "none", "t", 1.0)
    check = CheckRecord("fast", Verdict.PASSED, "2×.", 1.0, evidence={**SPEED, **evidence})
    return Record("m", "task", Verdict.PASSED, "Fast.", (check,), circumstances)


@pytest.fixture(autouse=True)
def _runs(monkeypatch: pytest.MonkeyPatch) -> None:
    others = MEASURED.model_copy(update={"candidate": "wrong_one", "ratio": None})
    runs = [_run("Another CPU"), _run("A CPU", others, MEASURED)]
    monkeypatch.setattr(curriculum, "runs", lambda _module: runs)


def test_the_same_device_and_threads() -> None:
    record = _record()
    assert reference.reference_ratio(record, record.checks[0]) == 2.5
    assert "2.50×" in html(record)


@pytest.mark.parametrize(
    "record", [_record(threads=2), _record("A third CPU"), _record("Another CPU")]
)
def test_what_cannot_be_compared_is_left_out(record: Record) -> None:
    assert reference.reference_ratio(record, record.checks[0]) is None
    assert "2.50×" not in html(record)


def test_a_module_that_is_not_known_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_module: str) -> list[curriculum.RecordedRun]:
        raise LookupError("no such module")

    monkeypatch.setattr(curriculum, "runs", unknown)
    record = _record()
    assert reference.with_reference(record, record.checks[0])["reference_ratio"] is None


def test_a_check_without_a_speed_stays_as_it_is() -> None:
    check = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0, evidence={"cases": 3})
    assert reference.with_reference(_record(), check) == {"cases": 3}
