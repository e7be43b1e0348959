"""The page of misses counts what the results say, and is honest about few cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.site import runs, unseen_page

SUITE: dict[str, Any] = {
    "suite": "A suite",
    "cases": 12,
    "faulty_run": 10,
    "found": 9,
    "missed": 1,
    "right_run": 2,
    "reported": 0,
    "not_run": 0,
    "missed_by_reason": {"a leak": 1},
    "reported_by_reason": {},
    "not_run_by_reason": {},
    "rows": [{"case": "leaks.cu", "came": "missed"}, {"case": "fine.cu", "came": "clean"}],
}


def recorded(folder: Path) -> Path:
    document = {"device": "D", "date": "2026-01-01", "suites": {"a": SUITE}}
    (folder / "labeled_suites.json").write_text(json.dumps(document))
    return folder


def test_nothing_recorded_is_not_measured(tmp_path: Path) -> None:
    assert unseen_page.rates(tmp_path) == runs.NOT_MEASURED
    assert unseen_page.suites(tmp_path) == runs.NOT_MEASURED
    assert unseen_page.reasons(tmp_path) == ""


@pytest.mark.parametrize(
    ("missed", "tried", "at_most"), [(0, 1, 0.95), (0, 100, 0.0295), (1, 10, 0.394), (3, 3, 1)]
)
def test_bound(missed: int, tried: int, at_most: float) -> None:
    assert unseen_page.bound(missed, tried) == pytest.approx(at_most, abs=1e-3)


def test_pipelines_have_a_row_among_the_wrong_and_one_among_the_right(tmp_path: Path) -> None:
    totals = {"broken": 80, "told": 79, "programs": 19, "refused": 0}
    (tmp_path / "hopper_pipelines.json").write_text(json.dumps({"totals": totals}))
    assert "| 80 | 1 | 1.2 % |" in unseen_page.rates(tmp_path)
    assert "| 19 | 0 | 0 % |" in unseen_page.alarms(tmp_path)


def test_a_suite_has_its_rate_its_counts_and_its_misses_by_name(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    assert "| 10 | 1 | 10 % | 39 % |" in unseen_page.rates(folder)
    assert "| 2 | 0 | 0 % | 78 % |" in unseen_page.alarms(folder)
    assert "| A suite | 12 | 10 | 9 | 1 | 2 | 0 | 0 |" in unseen_page.suites(folder)
    reasons = unseen_page.reasons(folder)
    assert "| missed | a leak | 1 |" in reasons
    assert "`leaks.cu`: missed" in reasons
    assert "fine.cu" not in reasons
