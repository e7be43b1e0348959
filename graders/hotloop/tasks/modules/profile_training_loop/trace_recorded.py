"""The candidate records a profiler trace with everything that the task asks for.

It is of a loop that nobody has seen, and which draws what it allocates as it runs: what the trace
must hold in each phase of each step is known to the judge, and to whoever watched the run.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.engines.trace import ProfilerStep, Trace, TraceError, read
from hotloop.judge.author_guard import Check
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import GivenFile, Plain, ask_plainly, put_folder, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.scratch import scratch
from hotloop.tasks.modules.profile_training_loop.hidden_loops import PHASES, UnseenLoop

BOARD_SUFFIXES = (".pt.trace.json", ".pt.trace.json.gz")
MOST_EVENTS = 2_000_000


@dataclass(frozen=True)
class TraceRecorded(Check):
    """`record(folder, wait, warmup, active, label, loop)` returns two paths.

    They are called "chrome" and "tensorboard"; `loop` is the path of a file.

    prefix: takes the label; returns the prefix of the range names in the labeled loop.
    """

    prefix: Callable[[str], str]
    timeout_s: float = 90.0

    def __call__(self, session: Session) -> str:
        """Have the candidate record once; check both files."""
        rng = session.rng()
        # The notebook calls `record` with none of these values.
        wait, warmup, active = (int(rng.choice(numbers)) for numbers in ((2, 3), (1, 3), (2, 4, 5)))
        label = f"run{int(rng.integers(100, 1000))}"
        loop = UnseenLoop(int(rng.integers(1 << 30)))
        worker = session.worker()
        asked = (wait, warmup, active, label, loop.file())
        reported = recorded(worker, asked, session.timeout(self.timeout_s))
        chrome, board = (_path(reported, key) for key in ("chrome", "tensorboard"))
        if chrome == board:
            raise Ruling(Verdict.WRONG_ANSWER, "Both paths name the same file.")
        if Path(chrome).parent == Path(board).parent:
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "Both files lie in one folder: TensorBoard's needs a folder of its own.",
            )
        found = trace_of(worker, chrome)
        first = wait + warmup
        for mismatch in _mismatches(found, range(first, first + active), self.prefix(label), loop):
            raise Ruling(Verdict.WRONG_ANSWER, f"In the Chrome trace: {mismatch}.")
        self._require_board(worker, board, active)
        session.note(steps=len(found.steps), events=found.events)
        return f"A trace of {active} steps with ranges, memory, shapes and stacks, in both layouts."

    def _require_board(self, worker: WorkerConnection, path: str, active: int) -> None:
        if not path.endswith(BOARD_SUFFIXES):
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "TensorBoard looks for files whose name ends in .pt.trace.json: yours is called "
                f"{shown(Path(path).name)}.",
            )
        steps = len(trace_of(worker, path).steps)
        if steps != active:
            raise Ruling(
                Verdict.WRONG_ANSWER, f"TensorBoard's file has {steps} steps, not {active}."
            )


def recorded(
    worker: WorkerConnection, arguments: tuple[Plain | GivenFile, ...], timeout_s: float
) -> Mapping[str, Any]:
    """Return the dict that the candidate's `record` returns. Raises Ruling if it is no dict."""
    reported = as_message(ask_plainly(worker, (put_folder(worker), *arguments), timeout_s))
    if reported is None:
        raise Ruling(Verdict.WRONG_ANSWER, "It must return a dict with the two paths.")
    return reported


def trace_of(worker: WorkerConnection, path: str) -> Trace:
    """Read a trace from the worker's file. Raises Ruling(WRONG_ANSWER) if it is no trace."""
    data = get_file(worker, path)
    with scratch() as folder:
        copy = folder / ("trace.json.gz" if path.endswith(".gz") else "trace.json")
        copy.write_bytes(data)
        try:
            return read(copy, most_events=MOST_EVENTS)
        except TraceError as error:
            raise Ruling(Verdict.WRONG_ANSWER, f"It is not a trace: {error.what}.") from None


def _path(reported: Mapping[str, Any], key: str) -> str:
    value = reported.get(key)
    if not isinstance(value, str):
        raise Ruling(Verdict.WRONG_ANSWER, f"“{key}” is {shown(value)}, not the path of a file.")
    return value


def _mismatches(found: Trace, numbers: range, prefix: str, loop: UnseenLoop) -> Iterator[str]:
    active = len(numbers)
    if len(found.steps) != active:
        yield f"it has {len(found.steps)} steps (ProfilerStep#…), and {active} were to be recorded"
    first = min(step.number for step in found.steps)
    if first != numbers.start:
        yield f"it begins with ProfilerStep#{first}, and should with ProfilerStep#{numbers.start}"
    calls = {row.name: row.calls for row in found.ranges()}
    for phase in PHASES:
        count = calls.get(f"{prefix}{phase}", 0)
        if count != active:
            yield f"the range {prefix}{phase} is there {count} times, not {active}"
    for there, what in (
        (found.has_memory, "memory (profile_memory)"),
        (found.has_shapes, "shapes (record_shapes)"),
        (found.has_stacks, "stacks (with_stack)"),
    ):
        if not there:
            yield f"{what} was not recorded"
    ran = islice(loop.allocated(), numbers.start, numbers.stop)
    for step, allocated in zip(found.steps, ran, strict=True):
        for phase, size in allocated.items():
            if not _allocates(found, step, f"{prefix}{phase}", size):
                yield (
                    f"the range {prefix}{phase} of step {step.number} does not hold what `{phase}` "
                    "of the given loop allocates in that step"
                )


def _allocates(trace: Trace, step: ProfilerStep, name: str, size: int) -> bool:
    """Whether a range of this name in the step holds an allocation of `size` bytes."""
    rows = trace.spans("range")
    chosen = trace.named(rows, name.__eq__)
    made = trace.allocations.spans
    at = made.start[made.size == size]
    return any(
        bool(np.any((start <= at) & (at <= end)))
        for start, end in zip(rows.start[chosen], rows.end[chosen], strict=True)
        if step.start_ns <= start < step.end_ns
    )
