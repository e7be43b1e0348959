"""The candidate records a profiler trace with everything that the task asks for.

It is of a loop that nobody has seen, and which draws what it allocates as it runs: what the trace
must hold in each phase of each step is known to the judge, and to whoever watched the run.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.engines.trace import ProfilerStep, Trace, TraceError, read
from hotloop.judge.check import check
from hotloop.judge.file_exchange import get_file
from hotloop.judge.questions import GivenFile, Plain, ask_plainly, put_folder, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.scratch import scratch
from hotloop.tasks.modules.profile_training_loop.hidden_loops import PHASES, UnseenLoop
from hotloop.tasks.modules.profile_training_loop.traces import figures_of, range_prefix

BOARD_SUFFIXES = (".pt.trace.json", ".pt.trace.json.gz")
MOST_EVENTS = 2_000_000
TIMEOUT_S = 90.0


@check()
def recorded(session: Session) -> str:
    """Check what `record(folder, wait, warmup, active, label, loop)` returns: two paths.

    They are called "chrome" and "tensorboard"; `loop` is the path of a file.
    """
    rng = session.rng()
    # The notebook calls `record` with none of these values.
    wait, warmup, active = (int(rng.choice(numbers)) for numbers in ((2, 3), (1, 3), (2, 4, 5)))
    label = f"run{int(rng.integers(100, 1000))}"
    loop = UnseenLoop(int(rng.integers(1 << 30)))
    worker = session.worker()
    arguments = (wait, warmup, active, label, loop.file())
    reported = recorded_by(worker, arguments, session.timeout(TIMEOUT_S))
    chrome, board = (path_in(reported, key) for key in ("chrome", "tensorboard"))
    if chrome == board:
        raise Ruling(Verdict.WRONG_ANSWER, "Both paths name the same file.")
    if Path(chrome).parent == Path(board).parent:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            "Both files lie in one folder: TensorBoard's needs a folder of its own.",
        )
    trace = trace_of(worker, chrome)
    first = wait + warmup
    for mismatch in _mismatches(trace, range(first, first + active), range_prefix(label), loop):
        raise Ruling(Verdict.WRONG_ANSWER, f"In the Chrome trace: {mismatch}.")
    _require_board(worker, board, active)
    session.note(steps=len(trace.steps), events=trace.events)
    return f"A trace of {active} steps with ranges, memory, shapes and stacks, in both layouts."


@check(after=("correct",))
def read_by_candidate(session: Session) -> str:
    """Have the candidate record a trace; compare its figures of it with the reader's."""
    worker = session.of("record", "json").worker()
    reported = recorded_by(worker, (1, 1, 3, "own"), session.timeout(TIMEOUT_S))
    path = path_in(reported, "chrome")
    trace = trace_of(worker, path)
    if not trace.steps or not trace.ops():
        raise Ruling(Verdict.WRONG_ANSWER, "Your own trace has no steps or no operators.")
    session.worker()
    answer = ask_plainly(worker, (path,), session.timeout(TIMEOUT_S))
    mismatch = figures_of(trace).mismatch(answer)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"About your own trace: {mismatch}.")
    session.note(events=trace.events)
    return f"Right about your own trace of {trace.events:,} events."


def _require_board(worker: WorkerConnection, path: str, active: int) -> None:
    if not path.endswith(BOARD_SUFFIXES):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            "TensorBoard looks for files whose name ends in .pt.trace.json: yours is called "
            f"{shown(Path(path).name)}.",
        )
    steps = len(trace_of(worker, path).steps)
    if steps != active:
        raise Ruling(Verdict.WRONG_ANSWER, f"TensorBoard's file has {steps} steps, not {active}.")


def recorded_by(
    worker: WorkerConnection, arguments: tuple[Plain | GivenFile, ...], timeout_s: float
) -> Mapping[str, Any]:
    """Return the dict that the candidate's function returns. Raises Ruling if it is no dict.

    The function gets a folder to write to, then the arguments.
    """
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


def path_in(reported: Mapping[str, Any], key: str) -> str:
    """Return the path of this key. Raises Ruling if it is no text."""
    value = reported.get(key)
    if not isinstance(value, str):
        raise Ruling(Verdict.WRONG_ANSWER, f"“{key}” is {shown(value)}, not the path of a file.")
    return value


def _mismatches(trace: Trace, numbers: range, prefix: str, loop: UnseenLoop) -> Iterator[str]:
    active = len(numbers)
    if len(trace.steps) != active:
        yield f"it has {len(trace.steps)} steps (ProfilerStep#…), and {active} were to be recorded"
    first = min(step.number for step in trace.steps)
    if first != numbers.start:
        yield f"it begins with ProfilerStep#{first}, and should with ProfilerStep#{numbers.start}"
    calls = {row.name: row.calls for row in trace.ranges()}
    for phase in PHASES:
        count = calls.get(f"{prefix}{phase}", 0)
        if count != active:
            yield f"the range {prefix}{phase} is there {count} times, not {active}"
    for there, what in (
        (trace.has_memory, "memory (profile_memory)"),
        (trace.has_shapes, "shapes (record_shapes)"),
        (trace.has_stacks, "stacks (with_stack)"),
    ):
        if not there:
            yield f"{what} was not recorded"
    ran = islice(loop.allocated(), numbers.start, numbers.stop)
    for step, allocated in zip(trace.steps, ran, strict=True):
        for phase, size in allocated.items():
            if not _allocates(trace, step, f"{prefix}{phase}", size):
                yield (
                    f"the range {prefix}{phase} of step {step.number} does not hold what `{phase}` "
                    "of the given loop allocates in that step"
                )


def _allocates(trace: Trace, step: ProfilerStep, name: str, size: int) -> bool:
    """Whether a range of this name in the step holds an allocation of `size` bytes."""
    rows = trace.spans("range")
    chosen = trace.named(rows, name.__eq__)
    allocations = trace.allocations.spans
    at = allocations.start[allocations.size == size]
    return any(
        bool(np.any((start <= at) & (at <= end)))
        for start, end in zip(rows.start[chosen], rows.end[chosen], strict=True)
        if step.start_ns <= start < step.end_ns
    )
