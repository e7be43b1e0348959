"""Judges a task's code with inputs of another size: "and if the width were 4096?"

The judge's own cases are cut or repeated to the requested size. A row's largest element is neither
cut off nor repeated, so that a row whose result depends on one element still does. It takes seconds
and is for a conversation: a work's verdict always comes from the original cases.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.record import CheckRecord
from hotloop.core.user_error import UserError
from hotloop.judge.check import CheckFunction, judge_checks
from hotloop.judge.checks.correct import Case, Correct, InputTensor, OnCpu, Truth
from hotloop.judge.checks.cuda_clean import CudaClean
from hotloop.judge.checks.cuda_traffic import CudaTraffic
from hotloop.judge.checks.in_simulator import InSimulator
from hotloop.judge.checks.recorded_calls import RecordedCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.checks.triton_traffic import TritonTraffic
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.files import lay_out
from hotloop.judge.job import Job
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.not_measurable import lacking
from hotloop.judge.service import session_of
from hotloop.judge.task import find
from hotloop.learn.predicting.outcomes import JudgedPrediction, outcome
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.tasks.local_judging import require_confinement
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.task_spec import task_spec

WIDTHS = (31, 256, 1000, 4096)
"""The widths that are tested to find where a change shows. In rows of one element most threads have
nothing to do, and the compiler moves what they would read to where nobody reads it."""

_BUDGET_S = 60.0
_NEAREST, _CASES = 2, 4
"""Cases at each width: those whose own width is nearest, then those with the largest outliers."""

ROWS = 16
"""Default number of rows. If one of eight warps is at fault, two cases of 16 rows, each of which
depends on one element, show it with a probability of 0.986."""


class NoSuchSize(UserError):
    """The task's inputs have no rows and columns to resize. The message is a sentence."""


@dataclass(frozen=True)
class Size:
    """The size of inputs.

    columns: extents of the tensors' last axis, in the order in which they are tried. rows: extent
    of the first axis, if there is more than one.
    """

    columns: tuple[int, ...]
    rows: int = ROWS

    def cases(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield the cases at these sizes, the first width first."""
        own = list(cases)
        peaked = sorted(range(len(own)), key=lambda n: -_outlier(own[n]))
        for columns in self.columns:
            near = sorted(range(len(own)), key=lambda n: abs(own[n].out.shape[-1] - columns))
            chosen = list(dict.fromkeys([*near[:_NEAREST], *peaked, *near]))[:_CASES]
            yield from (_resized(own[n], self.rows, columns) for n in chosen)


def judged_at(
    work: PredictedSubmission, task: str, size: Size, seed: str = ""
) -> JudgedPrediction | None:
    """Return the outcome of a task's code with inputs of these sizes.

    If there are several widths, it is that of the first at which the code fails. seed: as in `Job`.
    Raises NoSuchSize.
    """
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        lay_out(work.files, Path(folder))
        return outcome(_judged(job_of(work, task, folder, seed, _BUDGET_S), work, size))


def job_of(work: PredictedSubmission, task: str, folder: str, seed: str, budget_s: float) -> Job:
    """Return the job to judge a work whose files are in a folder, on the CPU."""
    return Job(
        work.module.id,
        task,
        task_spec(work.module, task),
        files=folder,
        notebook=NOTEBOOK,
        isolation=require_confinement(),
        device="cpu",
        budget_s=budget_s,
        variant=None if work.variant is None else work.variant.to_json(),
        given=work.digests,
        seed=seed,
    )


def _judged(job: Job, work: PredictedSubmission, size: Size) -> Sequence[CheckRecord]:
    task = find(job.module, job.task)
    launcher = Launcher(job.isolation, threads=default_threads())
    with constants({} if work.variant is None else work.variant.constants):
        resized = checks_at(task.checks, size)
        with closing(session_of(job, task, launcher)) as session:
            return judge_checks(resized, session, lacking=lacking(job.spec))


def checks_at(
    checks: Mapping[str, CheckFunction],
    size: Size,
    of: Callable[[Truth], Truth] = lambda truth: truth,
) -> dict[str, CheckFunction]:
    """Return the task's checks whose inputs can be resized, at this size.

    of: what takes the place of each truth. Raises NoSuchSize if there are none. Checks that count
    bytes are included only if there is a single width.
    """
    resized = {
        name: at_size
        for name, check in checks.items()
        if (at_size := _check_at(check, size, of)) is not None
    }
    if not resized:
        raise NoSuchSize("This task is not judged by calls with tensors: it has no width.")
    return resized


def _check_at(
    check: CheckFunction, size: Size, of: Callable[[Truth], Truth]
) -> CheckFunction | None:
    if isinstance(check, CudaClean) or (isinstance(check, Correct) and _resizable(check)):
        return replace(check, truth=of(_several(check.truth, size)))
    if isinstance(check, RecordedCalls):
        correct = check.correct
        return replace(check, correct=replace(correct, truth=of(_several(correct.truth, size))))
    if isinstance(check, TritonKernelCorrect):
        return Correct(of(_several(check.calls.truth, size)))
    if len(size.columns) > 1:
        return None
    if isinstance(check, CudaTraffic):
        return replace(check, truth=of(check.truth), counted=_one(check.counted, size))
    if isinstance(check, TritonTraffic):
        calls = check.calls
        truth, counted = of(_several(calls.truth, size)), _one(calls.counted, size)
        return replace(check, calls=replace(calls, truth=truth, counted=counted))
    return None


def _resizable(check: Correct) -> bool:
    """Return True if this machine has all that the check needs: no GPU, no oracle's files."""
    return (
        check.entry is None
        and callable(check.truth.reference)
        and isinstance(check.on, OnCpu | InSimulator)
    )


Rng = np.random.Generator
Values = NDArray[Any]


def _several(truth: Truth, size: Size) -> Truth:
    # Try it once now: an exception in the judge's call would end up in its record.
    next(size.cases(truth.cases(np.random.default_rng(0))))
    return truth.of(lambda rng: size.cases(truth.cases(rng)))


def _one(case: Callable[[Rng], Case], size: Size) -> Callable[[Rng], Case]:
    return lambda rng: next(size.cases([case(rng)]))


def _outlier(case: Case) -> float:
    """Return by how much the largest element of a row exceeds the row's mean, in the median row."""
    sized = _of_shape(case)
    if not sized or not sized[0].values.size:
        return 0.0
    size = _magnitudes(sized[0].values)
    return float(np.median(size.max(axis=-1) / (size.mean(axis=-1) + 1e-30)))


def _magnitudes(values: Values) -> Floats:
    """Return absolute values, with 0 in place of infinity and NaN."""
    return np.abs(np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0))


def _of_shape(case: Case) -> list[InputTensor]:
    """Return the inputs that have the output's shape."""
    tensors = [a for a in case.arguments if isinstance(a, InputTensor)]
    return [tensor for tensor in tensors if tensor.values.shape == case.out.shape]


def _resized(case: Case, rows: int, columns: int) -> Case:
    """Return a case with other extents of the first and last axis.

    Tensors that have the output's shape are resized with it, by the same columns; others stay.
    Raises NoSuchSize if no input has that shape.
    """
    shape, sized = case.out.shape, _of_shape(case)
    if not sized:
        raise NoSuchSize("No input of this task has its output's shape.")
    extents = (columns,) if len(shape) == 1 else (rows, *shape[1:-1], columns)
    index = _columns(_rows_of(sized[0].values, extents), columns)
    arguments = tuple(
        replace(a, values=np.take_along_axis(_rows_of(a.values, extents), index, axis=-1))
        if isinstance(a, InputTensor) and a.values.shape == shape
        else a
        for a in case.arguments
    )
    out = replace(case.out, shape=extents)
    return replace(case, label=f"{case.label}, resized", arguments=arguments, out=out)


def _rows_of(values: Values, extents: tuple[int, ...]) -> Values:
    """Cut or repeat the first axis, if it is not the last one too."""
    if len(extents) == 1:
        return values
    return np.take(values, np.arange(extents[0]) % values.shape[0], axis=0)


def _columns(values: Values, columns: int) -> NDArray[np.intp]:
    """Return for each row which of its elements become the new `columns` ones.

    They include the largest element once, at about the same part of the row.
    """
    width = values.shape[-1]
    largest = _magnitudes(values).argmax(axis=-1)[..., None]
    if columns <= width:
        return largest * (width - columns) // max(1, width - 1) + np.arange(columns)
    index = np.broadcast_to(np.arange(columns) % width, (*values.shape[:-1], columns))
    is_again = (index == largest) & (np.arange(columns) >= width)
    return np.where(is_again, (index + 1) % width, index)
