"""What needs a GPU is judged in a second phase, which judges nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.record import Record, RungRecord, summarize
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.store import store
from hotloop.course.executors import local
from hotloop.judge.job import Job

Asked = list[tuple[str, Sequence[str] | None, bool]]


@pytest.fixture
def asked(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> tuple[Asked, Callable[[bool], None]]:
    """Task, rungs and GPU of each job; and what puts a GPU into this machine, or takes it out."""
    jobs: Asked = []
    gpu = SimpleNamespace(is_there=False)
    small: Any = make.SmallJudge

    class Judge(small):
        def judge(self, job: Job, *rest: Any, **more: Any) -> Record:
            jobs.append((job.task, job.rungs, job.gpu))
            record: Record = super().judge(job, *rest, **more)
            if not job.gpu or job.task != "gpu_answer":
                return record
            right = record.rungs[0].verdict is Verdict.PASSED
            verdict = Verdict.PASSED if right else Verdict.WRONG_ANSWER
            on_gpu = RungRecord("gpu_correct", verdict, "Measured.", float(right))
            # As the judge does: a rung that is not asked for has no record.
            rungs = tuple(r for r in (record.rungs[0], on_gpu) if r.rung in (job.rungs or ()))
            verdict, sentence = summarize(rungs)
            device = replace(record.circumstances, device="a card", seed="77")
            return Record("tiny", job.task, verdict, sentence, rungs, device)

    course.settings["judge_factory"] = Judge
    monkeypatch.setattr(local, "kind", lambda: "cuda" if gpu.is_there else "cpu")
    return jobs, lambda is_there: setattr(gpu, "is_there", is_there)


def counting(course: Any) -> Attempt:
    found = store(course.root).published("ada", "tiny")
    assert found is not None
    return found


def verdicts(attempt: Attempt) -> list[str]:
    return [rung.verdict.value for rung in attempt.records["gpu_answer"].rungs]


def test_only_the_second_phase_may_use_the_gpu(
    course: Any, make: SimpleNamespace, asked: tuple[Asked, Callable[[bool], None]]
) -> None:
    jobs, set_gpu = asked
    set_gpu(True)
    course.submit("ada", make.lab())
    assert course.grade().problems == {}
    cpu = [(task, None, False) for task in ("answer", "gpu_answer", "from_file")]
    assert jobs == [*cpu, ("gpu_answer", ["gpu_correct"], True)]
    [attempt] = store(course.root).history("ada", "tiny")
    assert attempt == counting(course)
    assert verdicts(attempt) == ["passed", "passed"]
    assert attempt.records["answer"].verdict is Verdict.PASSED
    measured = attempt.records["gpu_answer"].rung("gpu_correct")
    assert measured.evidence == {"judged_again_with_seed": "77", "judged_again_on": "a card"}
    assert "gpu_correct" in str(course.autograded("ada")["cells"][5]["outputs"])
    assert "not measured" not in str(course.autograded("ada")["cells"][5]["outputs"])


def test_a_class_graded_without_a_gpu_has_only_its_open_rungs_measured_later(
    course: Any, make: SimpleNamespace, asked: tuple[Asked, Callable[[bool], None]]
) -> None:
    jobs, set_gpu = asked
    course.submit("ada", make.lab())
    course.grade()
    before = counting(course)
    assert verdicts(before) == ["passed", "not_measured"]
    jobs.clear()
    course.grade()
    assert jobs == []
    set_gpu(True)
    course.grade()
    assert jobs == [("gpu_answer", ["gpu_correct"], True)]
    after = counting(course)
    assert verdicts(after) == ["passed", "passed"]
    assert after.records["answer"] == before.records["answer"]
    assert after.digest == before.digest
    course.grade()
    assert len(jobs) == 1


def test_what_was_wrong_without_a_gpu_needs_none(
    course: Any, make: SimpleNamespace, asked: tuple[Asked, Callable[[bool], None]]
) -> None:
    jobs, set_gpu = asked
    set_gpu(True)
    course.submit("ada", make.lab(gpu_answer="41"))
    course.grade()
    assert verdicts(counting(course)) == ["wrong_answer", "wrong_answer"]
    assert not any(gpu for _, _, gpu in jobs)


def test_tasks_that_were_left_out_are_not_measured_on_the_gpu_either(
    course: Any, make: SimpleNamespace, asked: tuple[Asked, Callable[[bool], None]]
) -> None:
    jobs, set_gpu = asked
    set_gpu(True)
    course.submit("ada", make.lab())
    course.grade(tasks=["answer"])
    assert jobs == [("answer", None, False)]


def test_a_kernel_that_dies_in_the_second_phase_keeps_the_verdicts_of_the_first(
    course: Any, make: SimpleNamespace, asked: tuple[Asked, Callable[[bool], None]]
) -> None:
    _, set_gpu = asked
    switch = course.root / "die"
    dies = f"import os\nif os.path.exists({str(switch)!r}):\n    os._exit(1)"
    course.submit("ada", make.lab(setup=dies))
    course.grade()
    switch.touch()
    set_gpu(True)
    course.grade()
    assert verdicts(counting(course)) == ["passed", "runtime_error"]


def test_the_first_phase_counts_where_the_second_is_lost(
    course: Any,
    make: SimpleNamespace,
    asked: tuple[Asked, Callable[[bool], None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, set_gpu = asked
    set_gpu(True)
    course.submit("ada", make.lab())

    def fails(*_: Any) -> Attempt:
        raise OSError("the disk is full")

    monkeypatch.setattr("hotloop.course.executors.measure_open", fails)
    course.grade()
    assert verdicts(counting(course)) == ["passed", "not_measured"]
