"""Simulated traces and exports: what learners get, and that each rule of the tasks decides."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.profile_training_loop import nsys_answers, nsys_export, viewed

MODULE = "profile_training_loop"
EXAMPLES = paths.curriculum() / MODULE / "recordings" / "generate_examples.py"
SOLUTIONS = paths.solutions() / MODULE
SEEDS = range(3)


def test_the_examples_are_what_the_script_generates() -> None:
    (trace, content), (export, database) = runpy.run_path(str(EXAMPLES))["files"]()
    assert trace.read_bytes() == content
    # The header of a database holds the version of the library that wrote it.
    assert export.read_bytes()[100:] == database[100:]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["gap", "wait", "memory_peak", "overview"])
def test_the_reference_reads_what_the_judge_knows(name: str, seed: int, tmp_path: Path) -> None:
    """Two implementations, one of them over the file alone, agree."""
    read = runpy.run_path(str(SOLUTIONS / "timeline.py"))[name]
    _agree(viewed.questions, getattr(viewed.Viewed, name), read, seed, tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["launch_gaps", "copies", "waiting_range"])
def test_the_queries_find_what_the_judge_knows(name: str, seed: int, tmp_path: Path) -> None:
    read = runpy.run_path(str(SOLUTIONS / "nsight.py"))[name]
    _agree(nsys_answers.questions, getattr(nsys_answers.NsysAnswers, name), read, seed, tmp_path)


def _agree(
    questions: Callable[..., Any], answer: object, read: Any, seed: int, folder: Path
) -> None:
    for question in questions(answer, np.random.default_rng(seed)):
        (given,) = question.arguments
        assert isinstance(given, GivenFile)
        path = folder / given.name
        path.write_bytes(given.data)
        assert question.mismatch(read(str(path))) is None
        assert question.mismatch({}) is not None


def test_kernels_run_outside_of_the_step_that_queued_them() -> None:
    """Otherwise a reader who sorts by time would be right."""
    for loop in viewed.decisive(np.random.default_rng(5)):
        read = viewed.Viewed(loop.events)
        late = [
            work
            for step, (_, last) in read.steps.items()
            for work in read.work_of(step)
            if work[0] >= last
        ]
        assert len(late) > 3


def test_an_export_has_the_traps_that_the_lesson_names() -> None:
    tables = nsys_export.NsysExport(np.random.default_rng(1)).tables
    calls = tables["CUPTI_ACTIVITY_KIND_RUNTIME"]
    assert len({call["correlationId"] for call in calls}) < len(calls)
    ranges = tables["NVTX_EVENTS"]
    assert {row["eventType"] for row in ranges} == set(nsys_export.EVENTS)
    assert any(row["end"] is None for row in ranges if row["eventType"] == nsys_export.PUSH_POP)
    assert {row["text"] is None for row in ranges} == {True, False}
    texts = {row["id"]: row["value"] for row in tables["StringIds"]}
    assert any(texts[call["nameId"]].endswith("_v3020") for call in calls)


def test_the_trace_is_one_that_the_package_reads() -> None:
    path = paths.exercises() / MODULE / "generated_run.pt.trace.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    from hotloop.engines import trace

    read = trace.read(path)
    assert read.has_gpu
    assert read.has_memory
    steps = [e for e in document["traceEvents"] if str(e["name"]).startswith("ProfilerStep#")]
    assert len(read.steps) == len(steps)
