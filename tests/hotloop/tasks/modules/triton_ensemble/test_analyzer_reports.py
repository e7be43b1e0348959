"""Reports of perf_analyzer: each question has one answer, and a recorded report is parsed."""

import json

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.tasks.modules.triton_ensemble import analyzer_reports

RECORDED = paths.exercises() / "triton_ensemble" / "deployment_healthy.json"


@pytest.mark.parametrize("seed", range(5))
def test_the_answer_is_accepted_and_its_neighbors_are_not(seed: int) -> None:
    for question in analyzer_reports.questions(np.random.default_rng(seed)):
        texts, limit = question.arguments
        assert isinstance(texts, dict)
        assert isinstance(limit, int)
        reports = {name: analyzer_reports.parsed(str(text)) for name, text in texts.items()}
        right = analyzer_reports.best(reports, limit)
        assert question.mismatch(right) is None
        assert (right is None) == question.label.endswith("none")
        if right is None:
            assert question.mismatch({"setting": "max1_preferred_none_instances1"}) is not None
            continue
        for key, wrong in (("setting", "other"), ("clients", 5), ("per_second", 1.0)):
            assert question.mismatch({**right, key: wrong}) is not None
        assert question.mismatch({**right, "queue_share": right["queue_share"] + 0.05}) is not None
        assert question.mismatch(None) is not None


def test_the_columns_are_those_of_a_recorded_report() -> None:
    text = json.loads(RECORDED.read_text(encoding="utf-8"))["perf_analyzer"]
    assert text.splitlines()[0] == ",".join(analyzer_reports.COLUMNS)
    [row] = analyzer_reports.parsed(text)
    assert row[analyzer_reports.CLIENTS] == 16
    assert row[analyzer_reports.RATE] > 0


def test_what_is_no_report_is_refused() -> None:
    with pytest.raises(KeyError):
        analyzer_reports.parsed("a,b\n1,2\n")
