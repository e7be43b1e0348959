"""Judges a task's code with inputs of another size: "and if the width were 4096?"

The judge's own cases are truncated or repeated to the requested size, so that a row whose result
depends on one element still does. It takes seconds and is for a conversation: a work's verdict
always comes from the original cases.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hotloop.core.record import RungRecord
from hotloop.core.user_error import UserError
from hotloop.judge.constants import constants
from hotloop.judge.files import lay_out
from hotloop.judge.job import Job
from hotloop.judge.lacking import lacking
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.rung import Rung, judge_rungs
from hotloop.judge.rungs.correct import Argument, Case, Correct, Tensor
from hotloop.judge.rungs.cuda_clean import CudaClean
from hotloop.judge.rungs.cuda_correct import CudaCorrect
from hotloop.judge.rungs.cuda_traffic import CudaTraffic
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.traffic import Traffic
from hotloop.judge.rungs.watched import Watched
from hotloop.judge.service import session_of
from hotloop.judge.task import find
from hotloop.local_judging import require_confinement
from hotloop.notebook_cells import NOTEBOOK
from hotloop.predicting.outcomes import Outcome, outcome
from hotloop.predicting.own_code import Work
from hotloop.task_spec import task_spec

WIDTHS = (1, 31, 256, 1000, 4096, 10000)
"""The widths that are tested to find where a change shows."""

_BUDGET_S = 60.0
_CASES = 4
"""Cases at each width: those whose own width is nearest."""

_ROWS = 6
"""Default number of rows."""


class NoSuchSize(UserError):
    """The task's inputs have no rows and columns to resize. The message is a sentence."""


@dataclass(frozen=True)
class Size:
    """The size of inputs.

    columns: extents of the tensors' last axis, in the order in which they are tried. rows: extent
    of the first axis, if there is more than one.
    """

    columns: tuple[int, ...]
    rows: int = _ROWS

    def cases(self, given: Iterable[Case]) -> Iterator[Case]:
        """Yield the given cases at these sizes, the first width first."""
        own = list(given)
        for columns in self.columns:
            near = sorted(own, key=lambda case: abs(_width(case) - columns))
            yield from (_resized(case, self.rows, columns) for case in near[:_CASES])


def judged_at(work: Work, task: str, size: Size, seed: str = "") -> Outcome | None:
    """Return the outcome of a task's code with inputs of these sizes.

    If there are several widths, it is that of the first at which the code fails. seed: as in `Job`.
    Raises NoSuchSize.
    """
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        lay_out(work.files, Path(folder))
        job = Job(
            work.module.id,
            task,
            task_spec(work.module, task),
            files=folder,
            notebook=NOTEBOOK,
            isolation=require_confinement(),
            device="cpu",
            budget_s=_BUDGET_S,
            variant=None if work.variant is None else work.variant.to_json(),
            given=work.digests,
            seed=seed,
        )
        return outcome(_judged(job, work, size))


def _judged(job: Job, work: Work, size: Size) -> Sequence[RungRecord]:
    found = find(job.module, job.task)
    launcher = Launcher(job.isolation, threads=default_threads())
    with constants({} if work.variant is None else work.variant.constants):
        resized = rungs_at(found.rungs, size)
        with closing(session_of(job, found, launcher)) as session:
            return judge_rungs(resized, session, lacking=lacking(job.spec))


def rungs_at(rungs: Mapping[str, Rung], size: Size) -> dict[str, Rung]:
    """Return the task's rungs whose inputs can be resized, at this size.

    Raises NoSuchSize if there are none. Rungs that count bytes are included only if there is a
    single width.
    """
    found = {
        name: rung for name, given in rungs.items() if (rung := _rung_at(given, size)) is not None
    }
    if not found:
        raise NoSuchSize("This task is not judged by calls with tensors: it has no width.")
    return found


def _rung_at(rung: Rung, size: Size) -> Rung | None:
    if isinstance(rung, CudaCorrect | CudaClean | Correct):
        return replace(rung, cases=_several(rung.cases, size))
    if isinstance(rung, Watched):
        correct = rung.correct
        return replace(rung, correct=replace(correct, cases=_several(correct.cases, size)))
    if isinstance(rung, KernelCorrect):
        calls = rung.calls
        return Correct(_several(calls.cases, size), calls.reference, calls.tolerance)
    if len(size.columns) > 1:
        return None
    if isinstance(rung, CudaTraffic):
        return replace(rung, case=_one(rung.case, size))
    if isinstance(rung, Traffic):
        calls = rung.calls
        cases, counted = _several(calls.cases, size), _one(calls.counted, size)
        return replace(rung, calls=replace(calls, cases=cases, counted=counted))
    return None


Rng = np.random.Generator


def _several(cases: Callable[[Rng], Iterable[Case]], size: Size) -> Callable[[Rng], Iterator[Case]]:
    # Try it once now: an exception in the judge's call would end up in its record.
    next(size.cases(cases(np.random.default_rng(0))))
    return lambda rng: size.cases(cases(rng))


def _one(case: Callable[[Rng], Case], size: Size) -> Callable[[Rng], Case]:
    return lambda rng: next(size.cases([case(rng)]))


def _width(case: Case) -> int:
    return case.out.shape[-1]


def _resized(case: Case, rows: int, columns: int) -> Case:
    """Return a case with other extents of the first and last axis.

    Tensors that have the output's shape are resized with it; others stay. Raises NoSuchSize if no
    input has that shape.
    """
    shape = case.out.shape
    if not any(isinstance(a, Tensor) and a.values.shape == shape for a in case.arguments):
        raise NoSuchSize("No input of this task has its output's shape.")
    arguments = tuple(_argument(a, shape, rows, columns) for a in case.arguments)
    out = replace(case.out, shape=_extents(shape, rows, columns))
    return replace(case, label=f"{case.label}, resized", arguments=arguments, out=out)


def _argument(argument: Argument, shape: tuple[int, ...], rows: int, columns: int) -> Argument:
    if not isinstance(argument, Tensor) or argument.values.shape != shape:
        return argument
    values = argument.values
    for axis, extent in enumerate(_extents(shape, rows, columns)):
        values = np.take(values, np.arange(extent) % values.shape[axis], axis=axis)
    return replace(argument, values=values)


def _extents(shape: tuple[int, ...], rows: int, columns: int) -> tuple[int, ...]:
    return (columns,) if len(shape) == 1 else (rows, *shape[1:-1], columns)
