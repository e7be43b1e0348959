"""The real judge on changed code: outcomes, widths, and a whole set of questions."""

import importlib.util
import shutil
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, Correct, InputTensor
from hotloop.judge.client import JudgeProcess
from hotloop.judge.dtypes import FP32
from hotloop.learn.predicting import items
from hotloop.learn.predicting.judges import Judges, JudgingRequest, judged
from hotloop.learn.predicting.outcomes import Kind, against
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.learn.predicting.survey import kinds_of, padded, surveyed
from hotloop.learn.predicting.widths import ROWS, NoSuchSize, Size, checks_at, judged_at
from hotloop.tasks import curriculum, render
from hotloop.tasks.modules.fused_softmax import tasks

MODULE = "fused_softmax"

needs_judge = pytest.mark.skipif(
    shutil.which("bwrap") is None or importlib.util.find_spec("wasmtime") is None,
    reason="bubblewrap or the group `cuda` is missing",
)


def work(*names: str) -> PredictedSubmission:
    module = curriculum.load_module(MODULE)
    return PredictedSubmission(module, names, render.submission(MODULE), render.untouched(MODULE))


def changed(of: PredictedSubmission, task: str, operator: str) -> PredictedSubmission:
    """Apply the last such change in the file: to the sum, as the maximum comes first."""
    found = [change for change in changes(of, task) if change.edit.operator == operator]
    change = max(found, key=lambda each: each.line)
    return of.with_text(change.code, change.text)


def case(rows: int, columns: int) -> Case:
    values = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns)
    return Case("a case", (InputTensor(values, FP32), 0.5), TensorSpec((rows, columns), FP32))


def test_a_case_becomes_wider_and_narrower() -> None:
    [wide, narrow] = list(Size((7, 2), rows=3).cases([case(2, 4)]))
    assert wide.out.shape == (3, 7)
    [x, scale] = wide.arguments
    assert isinstance(x, InputTensor)
    assert x.values.tolist()[0] == [0, 1, 2, 3, 0, 1, 2]
    assert x.values.tolist()[2] == x.values.tolist()[0]
    assert scale == 0.5
    assert narrow.out.shape == (3, 2)


def test_a_rows_largest_element_is_neither_cut_off_nor_repeated() -> None:
    values = np.ones((3, 9))
    values[[0, 1, 2], [0, 4, 8]] = -300.0
    marks = np.arange(27).reshape(3, 9)
    given = Case(
        "spikes",
        (InputTensor(values, FP32), InputTensor(marks, FP32), 0.5),
        TensorSpec((3, 9), FP32),
    )
    for columns in (1, 4, 9, 40):
        [resized] = Size((columns,), rows=3).cases([given])
        x, same, scale = resized.arguments
        assert isinstance(x, InputTensor)
        assert isinstance(same, InputTensor)
        assert x.values.shape == resized.out.shape == (3, columns)
        assert (x.values == -300.0).sum(axis=-1).tolist() == [1, 1, 1]
        assert ((x.values == -300.0) == np.isin(same.values, [0, 13, 26])).all(), "same columns"
        assert scale == 0.5


@pytest.mark.parametrize("columns", [256, 1000, 4096])
def test_at_each_width_there_are_rows_that_one_element_decides(columns: int) -> None:
    """In rows of numbers of one size, a maximum over half of the threads changes nothing."""
    correct = tasks.cuda_block.checks["correct"]
    assert isinstance(correct, Correct)
    found = list(Size((columns,)).cases(correct.truth.cases(np.random.default_rng(1))))
    outliers = [
        np.sort(np.abs(case.arguments[0].values), axis=-1)[:, -2:]
        for case in found
        if isinstance(case.arguments[0], InputTensor)
        and np.isfinite(case.arguments[0].values).all()
    ]
    decided = [two for two in outliers if (two[:, 1] > 10 * two[:, 0]).all()]
    assert len(decided) >= 2
    assert all(len(two) == ROWS for two in decided)


def test_a_task_without_tensors_has_no_width() -> None:
    with pytest.raises(NoSuchSize):
        checks_at({"traffic": tasks.cuda_block.checks["compiles"]}, Size((4,)))
    other = replace(case(2, 4), arguments=(InputTensor(np.zeros(3), FP32),))
    with pytest.raises(NoSuchSize):
        list(Size((7,)).cases([other]))


def test_bytes_are_counted_at_one_width_only() -> None:
    checks = tasks.cuda_block.checks
    assert list(checks_at(checks, Size((1, 31)))) == ["correct", "clean"]
    assert list(checks_at(checks, Size((31,)))) == ["correct", "clean", "traffic"]


@pytest.mark.slow
@needs_judge
def test_the_judge_says_at_which_width_a_change_shows() -> None:
    own = work("cuda_block")
    plain = judged_at(own, "cuda_block", Size((1, 1000)))
    assert plain is not None
    assert plain.kind == "none"
    bound = judged_at(changed(own, "cuda_block", "other tree bound"), "cuda_block", Size((1, 300)))
    assert bound is not None
    assert (bound.kind, bound.width) == ("wrong", 300), "the sum lacks all but one in 32"


@pytest.mark.slow
@needs_judge
def test_a_dropped_barrier_is_a_race_on_every_seed() -> None:
    own = changed(work("cuda_block"), "cuda_block", "missing barrier")
    with closing(Judges(2)) as judges:
        found = judges.judge(
            JudgingRequest(own, "cuda_block", seed * 16) for seed in ("0a", "1b", "2c")
        )
    assert all(one is not None and one.kind == "race" and one.lines for one in found)


SMALL = (Size((256,)), Size((1000,), rows=1))


def edited(of: PredictedSubmission, old: str, new: str, wrap: bool = False) -> PredictedSubmission:
    """Replace a text in softmax.cu. wrap: and enlarge its shared arrays."""
    text = of.files["softmax.cu"].decode()
    assert old in text
    text = text.replace(old, new, 1)
    return replace(of, files={**of.files, "softmax.cu": (padded(text) if wrap else text).encode()})


def surveyed_kinds(
    changed: PredictedSubmission, kind: Kind, task: str = "cuda_block"
) -> frozenset[Kind]:
    plain = surveyed(work(task), task, "ab" * 16, SMALL)
    return kinds_of(kind, surveyed(changed, task, "ab" * 16, SMALL), plain)[0]


def test_shared_arrays_become_larger_and_nothing_else() -> None:
    text = (
        "__shared__ float partial[kThreads]; // __shared__ float no[4];\nextern __shared__ int x[];"
    )
    assert padded(text) == text.replace("[kThreads]", "[2 * (kThreads) + 64]")


@pytest.mark.slow
@needs_judge
def test_the_same_work_has_the_same_numbers_at_each_size() -> None:
    own = work("cuda_block")
    first, again, other = (
        surveyed(own, "cuda_block", seed * 16, SMALL) for seed in ("0a", "0a", "1b")
    )
    figures = [[one.outcome and one.outcome.figures for one in found] for found in (first, again)]
    assert figures[0] == figures[1]
    assert first[0].outcome != other[0].outcome
    assert kinds_of("none", again, first) == (frozenset(), ["none", "none"])
    assert kinds_of("none", other, first)[1] == [None, None], "other numbers are another outcome"


@pytest.mark.slow
@needs_judge
def test_an_outcome_that_depends_on_the_shape_is_seen() -> None:
    """Rows read what is behind them, and the last one what is outside of the array."""
    row = "x + static_cast<size_t>(blockIdx.x) * columns"
    changed = edited(work("cuda_block"), row, row.replace(") * columns", ") + columns"))
    assert surveyed_kinds(changed, "wrong") == {"wrong", "bounds"}


@pytest.mark.slow
@needs_judge
def test_a_race_before_an_access_outside_of_an_array_is_seen() -> None:
    """Each thread writes one element too many: the next row's first one, and behind the last."""
    store = "c < columns; ++c) out[c] ="
    changed = edited(work("cuda_naive"), store, store.replace("<", "<="))
    assert surveyed_kinds(changed, "bounds", "cuda_naive") == {"bounds", "race"}


@pytest.mark.slow
@needs_judge
def test_a_race_behind_an_access_outside_of_an_array_is_seen() -> None:
    guard, always = "if (t < half) partial[t] +=", "if (true) partial[t] +="
    own = work("cuda_block")
    assert surveyed_kinds(edited(own, guard, always), "bounds") >= {"bounds"}
    assert "race" in surveyed_kinds(edited(own, guard, always, wrap=True), "race")


@needs_judge
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_questions_of_a_work() -> None:
    """A few questions on one task, by the real judge: judging again gives the same keys."""
    own, said = work("cuda_block"), list[str]()
    made = items.make(own, 3, said.append)
    assert len(made.items) == 3
    assert said[0] == "0 of 240 s, 0 of 3 questions; cuda_block: as it is"
    kinds = [item.outcome.kind for item in made.items]
    assert len(set(kinds)) >= 2
    with closing(JudgeProcess()) as process:
        before = judged(own, "cuda_block", "7f" * 16, process)
        assert before is not None
        for item in made.items:
            again = judged(item.made_in(own), item.task, "7f" * 16, process)
            assert again is not None
            found = against(again, before)
            assert found is not None
            assert found.is_like(item.outcome)
