"""A parsed trace and the queries on it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hotloop.engines.trace import events
from hotloop.engines.trace.event_collection import ON_GPU, Lane
from hotloop.engines.trace.events import (
    Allocation,
    Copy,
    Events,
    KernelEvent,
    LaunchEvent,
    ProfilerStep,
    Synchronization,
)
from hotloop.engines.trace.intervals import Intervals
from hotloop.engines.trace.nesting import Nesting, nesting
from hotloop.engines.trace.op_rows import OpRow, op_rows
from hotloop.engines.trace.spans import Ints, Mask, Spans, joined

_STEP = re.compile(r"ProfilerStep#([0-9]{1,18})")
_STEPS = "step"
_RANGE = "range"
_CALLS = ("cuda_runtime", "cuda_driver")


@dataclass(frozen=True)
class MemoryEvents:
    """The [memory] events as columns, in bytes: `size` is negative where memory was freed."""

    at: Ints
    size: Ints
    total: Ints
    device: Ints


class Trace:
    """A trace of torch.profiler; `hotloop.engines.trace.read` creates it.

    A query about a step covers the events that started in it. `has_…` say what was recorded, as
    seen in the events.
    """

    def __init__(
        self,
        *,
        path: Path,
        events: int,
        names: list[str],
        lanes: list[Lane],
        spans: dict[str, Spans],
        memory: MemoryEvents,
        has_stacks: bool,
        has_shapes: bool,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self.events = events
        self.has_stacks = has_stacks
        self.has_shapes = has_shapes
        self.warnings = warnings
        """What in the file cannot be true, one sentence each."""
        self.names = names
        self.lanes = lanes
        self._memory = memory
        self._nestings: dict[str, Nesting] = {}
        self._spans = {kind: rows.by_start() for kind, rows in spans.items()}
        notes = self._spans["user_annotation"]
        is_step = self.named(notes, lambda name: _STEP.fullmatch(name) is not None)
        self._spans[_STEPS], self._spans[_RANGE] = notes.where(is_step), notes.where(~is_step)

    def __repr__(self) -> str:
        warned = f", warnings: {len(self.warnings)}" if self.warnings else ""
        return f"<trace {self.path.name}: {self.events:,} events, {len(self.steps)} steps{warned}>"

    @property
    def has_memory(self) -> bool:
        """True if the trace was recorded with `profile_memory=True`."""
        return len(self._memory.at) > 0

    @property
    def has_gpu(self) -> bool:
        """True if the trace has kernels, copies or memsets of a GPU."""
        return any(len(self._spans[kind]) for kind in ON_GPU)

    @cached_property
    def steps(self) -> tuple[ProfilerStep, ...]:
        """The steps sorted by start; empty if `prof.step()` was never called."""
        rows = self.spans(_STEPS)
        numbers = [int(self.names[int(name)].partition("#")[2]) for name in rows.name]
        times = zip(numbers, rows.start.tolist(), rows.duration.tolist(), strict=True)
        return tuple(ProfilerStep(*values) for values in times)

    def step(self, number: int) -> ProfilerStep:
        """Return the first step with this number. Raises ValueError if there is none."""
        for step in self.steps:
            if step.number == number:
                return step
        known = ", ".join(str(step.number) for step in self.steps[:20]) or "no steps"
        raise ValueError(f"there is no step {number} in this trace; it has {known}")

    def ops(self, step: int | ProfilerStep | None = None) -> list[OpRow]:
        """Return CPU operators by name, the one with most self time first.

        Self time excludes nested operators; CUDA calls of an operator are part of it.
        """
        return self._rows("cpu_op", step)

    def ranges(self, step: int | ProfilerStep | None = None) -> list[OpRow]:
        """Return the `record_function` ranges like `ops`, without the profiler's steps."""
        return self._rows(_RANGE, step)

    def ops_in_steps(self) -> list[OpRow]:
        """Return CPU operators that started in any step."""
        rows = self.spans("cpu_op")
        chosen = self._step_time.hold(rows.start)
        return op_rows(self.names, rows, self.nesting("cpu_op").own, chosen)

    @cached_property
    def kernels(self) -> Events[KernelEvent]:
        """Kernels that ran on a GPU, without copies and memsets."""
        return events.kernels(self.spans("kernel"), self.names, self.lanes)

    @cached_property
    def copies(self) -> Events[Copy]:
        """Memory copies by a GPU."""
        return events.copies(self.spans("gpu_memcpy"), self.names, self.lanes)

    @cached_property
    def launches(self) -> Events[LaunchEvent]:
        """Calls that launched kernels or graphs."""
        parts = [self._only(kind, events.is_launch) for kind in _CALLS]
        return events.launches(joined(parts), self.names, self.lanes)

    @cached_property
    def synchronizations(self) -> Events[Synchronization]:
        """Where the CPU waits for a GPU, or would wait if there were one (`.item()`)."""
        parts = [self._only(kind, events.is_wait) for kind in _CALLS]
        parts.append(self._only("cpu_op", events.WAITING_OPS.__contains__))
        rows = joined(parts)
        rows = Spans(rows.name, rows.lane, rows.start, rows.duration, nesting(rows).depth)
        return events.synchronizations(rows, self.names, self.lanes)

    def gpu_idle_share(self, step: int | ProfilerStep | None = None) -> float | None:
        """Return the fraction of time in which no GPU was busy, 0 to 1; None without a GPU.

        The time is that of the step, of all steps, or of the whole trace if it has none. Kernels,
        copies and memsets of all streams and devices count as work.
        """
        if not self.has_gpu:
            return None
        window = self.window(step)
        if not window.length:
            return None
        return 1 - self.gpu_busy.shared_with(window) / window.length

    @cached_property
    def gpu_busy(self) -> Intervals:
        """The times in which at least one GPU was busy."""
        rows = joined([self._spans[kind] for kind in ON_GPU])
        return Intervals(rows.start, rows.end)

    def window(self, step: int | ProfilerStep | None = None) -> Intervals:
        """Return the time of a step, of all steps, or from the first event to the last one."""
        if step is not None:
            step = step if isinstance(step, ProfilerStep) else self.step(step)
            return Intervals(np.array([step.start_ns]), np.array([step.end_ns]))
        if self.steps:
            return self._step_time
        some = [rows for rows in self._spans.values() if len(rows)]
        first = min((int(rows.start[0]) for rows in some), default=0)
        last = max((int(rows.end.max()) for rows in some), default=0)
        return Intervals(np.array([first]), np.array([last]))

    @cached_property
    def allocations(self) -> Events[Allocation]:
        """All allocations by time; empty if memory was not profiled."""
        memory = self._memory
        nothing = np.zeros(len(memory.at), dtype=np.int64)
        rows = Spans(memory.device, nothing, memory.at, nothing, memory.size)
        return events.allocations(rows.where(memory.size > 0).by_start(), self.names)

    @property
    def largest_allocation(self) -> Allocation | None:
        """The largest allocation, the first of equal ones; None if memory was not profiled."""
        sizes = self.allocations.spans.size
        return self.allocations[int(sizes.argmax())] if len(sizes) else None

    @property
    def peak_bytes(self) -> int | None:
        """The most bytes allocated at once on one device; None if memory was not profiled."""
        return int(self._memory.total.max()) if self.has_memory else None

    def spans(self, kind: str) -> Spans:
        """Return the events of a kind sorted by start.

        kind: a category of the file, `step` or `range`.
        """
        return self._spans[kind]

    def nesting(self, kind: str) -> Nesting:
        """Return how the events of `spans(kind)` nest; computed once."""
        if kind not in self._nestings:
            self._nestings[kind] = nesting(self.spans(kind))
        return self._nestings[kind]

    def named(self, rows: Spans, wanted: Callable[[str], bool]) -> Mask:
        """Return a mask of the rows whose name is wanted; `wanted` is called once per name."""
        used: list[int] = np.unique(rows.name).tolist()
        good = [name for name in used if wanted(self.names[name])]
        return np.isin(rows.name, good)

    @cached_property
    def _step_time(self) -> Intervals:
        starts = np.array([step.start_ns for step in self.steps], dtype=np.int64)
        ends = np.array([step.end_ns for step in self.steps], dtype=np.int64)
        return Intervals(starts, ends)

    def _rows(self, kind: str, step: int | ProfilerStep | None) -> list[OpRow]:
        rows = self.spans(kind)
        chosen = np.ones(len(rows), dtype=np.bool_)
        if step is not None:
            chosen = self.window(step).hold(rows.start)
        return op_rows(self.names, rows, self.nesting(kind).own, chosen)

    def _only(self, kind: str, wanted: Callable[[str], bool]) -> Spans:
        rows = self._spans[kind]
        return rows.where(self.named(rows, wanted))
