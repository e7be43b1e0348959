"""Batch sizes: what a mean implies, and that the check distinguishes batching from none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving import metrics
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.batches import Batches, mean_size
from hotloop.judge.load_window import LEAD_IN
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble import inference_requests
from hotloop.tasks.modules.triton_ensemble.compositions import UNTUNED

SessionOver = Callable[..., Session]


@pytest.mark.parametrize(
    ("sizes", "mean"),
    [({1: 10}, 1.0), ({16: 4}, 16.0), ({1: 2, 3: 2}, 2.0), ({1: 12, 16: 3}, 4.0), ({4: 15}, 4.0)],
)
def test_a_mean_is_by_execution(sizes: dict[int, int], mean: float) -> None:
    assert mean_size(sizes) == mean


def test_no_execution_has_no_mean() -> None:
    for sizes in ({}, {4: 0}):
        with pytest.raises(Ruling) as caught:
            mean_size(sizes)
        assert caught.value.verdict is Verdict.WRONG_ANSWER


HISTOGRAMS = st.dictionaries(st.integers(1, 64), st.integers(1, 10**6), min_size=1)


@pytest.mark.slow
@given(before=HISTOGRAMS, gained=HISTOGRAMS)
def test_only_what_was_gained_counts(before: dict[int, int], gained: dict[int, int]) -> None:
    after = {size: before.get(size, 0) + gained.get(size, 0) for size in {*before, *gained}}
    assert metrics.fewer(after, before) == gained
    assert min(gained) <= mean_size(gained) <= max(gained)


def judged(session: Session, line: str) -> CheckRecord:
    def repository(session: Session) -> Path:
        folder = UNTUNED.put_together(session)
        for name in ("preprocess", "bert", "postprocess"):
            with (folder / name / "config.pbtxt").open("a") as config:
                config.write(f"\n{line}\n")
        return folder

    check = Batches(repository, inference_requests.under_load, "bert", least_mean=2.0)
    return judge_check("batches", check, session.about(Candidate("topics", "config.pbtxt")))


@pytest.mark.serving
@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "verdict"), [("", Verdict.TOO_SLOW), ("dynamic_batching { }", Verdict.PASSED)]
)
def test_batching_is_told_from_none(
    installed: ServingEnvironment, session_over: SessionOver, line: str, verdict: Verdict
) -> None:
    turns: list[str] = []
    session = replace(session_over(), budget=Budget(120.0, lambda: turns.append("alone")))
    record = judged(session, line)
    assert record.verdict is verdict
    assert turns == ["alone"], "what is measured is measured alone"
    sizes = {int(size): count for size, count in record.evidence["sizes"].items()}
    rows = sum(size * count for size, count in sizes.items())
    # The server counts an execution a little after it has answered.
    assert 512 <= rows <= 512 + LEAD_IN, "every row once"
    assert (set(sizes) == {1}) == (not line)
