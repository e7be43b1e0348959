"""Reads an untrusted trace file as a stream, in bounded memory."""

import gc
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hotloop.engines.trace import source
from hotloop.engines.trace.document import Document
from hotloop.engines.trace.error import EXPORT_AGAIN, Problem, TraceError
from hotloop.engines.trace.event_collection import SPAN_KINDS, Collected
from hotloop.engines.trace.implausible_events import doubts, without_lost_times
from hotloop.engines.trace.model import MemoryEvents, Trace
from hotloop.engines.trace.spans import ints

MOST_BYTES = 2 << 30
MOST_EVENTS = 5_000_000
MOST_STEPS = 100_000
MOST_SECONDS = 600.0
_AT_0 = "the time 0 on a clock that is far from it"


def read(
    path: str | Path,
    *,
    most_bytes: int = MOST_BYTES,
    most_events: int = MOST_EVENTS,
    most_seconds: float = MOST_SECONDS,
    on_progress: source.Progress | None = None,
) -> Trace:
    """Read a trace that torch.profiler exported, .json or .json.gz.

    `most_bytes` limits the JSON text, after decompression. `on_progress` is called with the bytes
    read so far and the size of the file, once per mebibyte. What cannot be true of it, but need not
    keep it from being read, is in the trace's `warnings`. Raises TraceError if the file is not a
    trace, or exceeds `most_bytes`, `most_events` or `most_seconds`.
    """
    path = Path(path)
    problem = partial(TraceError, path)
    collected = Collected(problem, most_events)
    pieces = source.text(path, most_bytes, _Watch(most_seconds, on_progress, problem))
    with _no_garbage_collection():
        for event in Document(pieces, problem).events():
            collected.add(event)
    if not collected.count:
        raise problem(
            "it has no events at all",
            "Run the code inside `with profile(...)`, and with a schedule call `prof.step()` "
            "often enough to reach its active steps.",
        )
    if not collected.known and collected.of_older_pytorch:
        raise problem(
            "its events have the categories of PyTorch before 1.13 (Operator, Kernel, Runtime)",
            "Record it with a newer PyTorch.",
        )
    if not collected.known and collected.left_out:
        raise problem("none of its events was finished", f"{EXPORT_AGAIN}.")
    if not collected.known:
        raise problem(
            "none of its events is one that torch.profiler writes about running code",
            f"{EXPORT_AGAIN}.",
        )
    trace = _trace(path, collected)
    if len(trace.spans("step")) > MOST_STEPS:
        raise problem(f"it has more than {MOST_STEPS:,} steps", "Profile fewer steps.")
    return trace


class _Watch:
    """Reports progress and enforces the time limit; called once per mebibyte."""

    def __init__(
        self, most_seconds: float, on_progress: source.Progress | None, problem: Problem
    ) -> None:
        self._until = time.monotonic() + most_seconds
        self._most, self._on_progress, self._problem = most_seconds, on_progress, problem

    def __call__(self, done: int, size: int) -> None:
        if time.monotonic() > self._until:
            raise self._problem(
                f"reading it takes longer than {self._most:g} seconds", "Profile fewer steps."
            )
        if self._on_progress is not None:
            self._on_progress(done, size)


@contextmanager
def _no_garbage_collection() -> Generator[None]:
    """Disable garbage collection: JSON values have no cycles, and scanning for them is slow."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _trace(path: Path, collected: Collected) -> Trace:
    memory = MemoryEvents(
        at=ints(collected.memory_at),
        size=ints(collected.memory_bytes),
        total=ints(collected.memory_total),
        device=ints(collected.memory_device),
    )
    recorded = {kind: collected.kinds[kind].spans() for kind in SPAN_KINDS}
    spans, at_0 = without_lost_times(recorded)
    left_out = collected.left_out + Counter({_AT_0: at_0})
    return Trace(
        path=path,
        events=collected.count,
        names=collected.names,
        lanes=collected.lanes,
        spans=spans,
        warnings=(
            *(
                f"Left out {lost:,} of {collected.count:,} events, because of {why}."
                for why, lost in left_out.items()
            ),
            *doubts(spans, collected.names, collected.lanes),
        ),
        memory=memory,
        has_stacks=collected.has_stacks,
        has_shapes=collected.has_shapes,
    )
