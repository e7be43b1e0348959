"""Events of a trace: steps, kernels, copies, launches. Times are microseconds, as in the file.

An event is a row of columns until it is requested; then it becomes an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from hotloop.engines.trace.event_collection import Lane
from hotloop.engines.trace.spans import Spans

Event = TypeVar("Event", covariant=True)


@dataclass(frozen=True)
class ProfilerStep:
    """One `ProfilerStep#number`: the time between two calls of `prof.step()`."""

    number: int
    start_ns: int
    duration_ns: int

    @property
    def end_ns(self) -> int:
        """End time in nanoseconds."""
        return self.start_ns + self.duration_ns

    @property
    def start_us(self) -> float:
        """Start time in microseconds."""
        return self.start_ns / 1000

    @property
    def duration_us(self) -> float:
        """Duration in microseconds."""
        return self.duration_ns / 1000


@dataclass(frozen=True)
class KernelEvent:
    """One execution of a kernel on a GPU, or a memset."""

    name: str
    start_us: float
    duration_us: float
    device: int | str
    stream: int | str


@dataclass(frozen=True)
class Copy:
    """One memory copy by a GPU."""

    name: str
    start_us: float
    duration_us: float
    device: int | str
    stream: int | str
    bytes: int
    direction: str
    """HtoD, DtoH, DtoD, PtoP or HtoH; `unknown` if the name does not contain it."""
    source: str
    """Pageable, Pinned or Device; "" if the name does not contain it."""
    target: str


@dataclass(frozen=True)
class LaunchEvent:
    """A runtime or driver call that launches work on a GPU."""

    name: str
    start_us: float
    duration_us: float
    thread: int | str
    is_graph: bool
    """Whether it launches a whole CUDA graph, which may contain many kernels."""


@dataclass(frozen=True)
class Synchronization:
    """A call in which the CPU waits for a GPU, or an operator that makes such a call."""

    name: str
    start_us: float
    duration_us: float
    thread: int | str
    outermost: bool
    """Not inside another one: one `.item()` is three synchronizations, one of them outermost."""


@dataclass(frozen=True)
class Allocation:
    """One allocation of memory: bytes, time and device (`cpu`, `cuda:0`)."""

    bytes: int
    at_us: float
    device: str


class Events(Sequence[Event], Generic[Event]):
    """A sequence of events, sorted by start, that creates its objects on access."""

    def __init__(self, spans: Spans, make: Callable[[Spans, int], Event]) -> None:
        self.spans = spans
        self._make = make

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Events[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Events[Event]:
        if isinstance(index, slice):
            return Events(self.spans.where(index), self._make)
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} events, and none at {index}")
        return self._make(self.spans, index % len(self))

    def __iter__(self) -> Iterator[Event]:
        return (self._make(self.spans, row) for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} events, {self.total_us:,.1f} µs>"

    @property
    def total_us(self) -> float:
        """The sum of their durations, in microseconds."""
        return int(self.spans.duration.sum()) / 1000

    def within(self, step: ProfilerStep) -> Events[Event]:
        """Return the events that started in the step."""
        start = self.spans.start
        return Events(
            self.spans.where((start >= step.start_ns) & (start < step.end_ns)), self._make
        )


# Kineto's names include the version of an API function if there are several.
_VERSION = r"(_ptsz|_v\d+)*"
_GRAPH = re.compile(rf"(cuda|cu|hip)GraphLaunch{_VERSION}")
_LAUNCH = re.compile(
    r"(cuda|cu|hip)(Module|ExtModule|Ext)?Launch(Cooperative)?Kernel(MultiDevice|ExC|Ex)?"
    + _VERSION
)
_WAIT = re.compile(rf"(cuda|hip)(Stream|Device|Event)Synchronize{_VERSION}")
_DRIVER_WAIT = re.compile(rf"cu(Stream|Ctx|Event)Synchronize{_VERSION}")
WAITING_OPS = frozenset({"aten::item", "aten::_local_scalar_dense"})

_COPY = re.compile(r"Memcpy ([HDPA]to[HDPA])(?: \((\w+) -> (\w+)\))?")
_ENDS = {"Host": "H", "Device": "D"}
_HIP_COPY = re.compile(r"Copy(Host|Device)To(Host|Device)")


def is_graph_launch(name: str) -> bool:
    """True if a call launches a whole CUDA graph."""
    return _GRAPH.fullmatch(name) is not None


def is_launch(name: str) -> bool:
    """True if a runtime or driver call launches a kernel or a graph."""
    return _LAUNCH.fullmatch(name) is not None or is_graph_launch(name)


def is_wait(name: str) -> bool:
    """True if the CPU waits for a GPU in this runtime or driver call."""
    return _WAIT.fullmatch(name) is not None or _DRIVER_WAIT.fullmatch(name) is not None


def copy_ends(name: str) -> tuple[str, str, str]:
    """Parse direction, source and target of a copy from its name; source and target may be ""."""
    match = _COPY.match(name)
    if match is not None:
        return match[1], match[2] or "", match[3] or ""
    match = _HIP_COPY.match(name)
    if match is not None:
        return f"{_ENDS[match[1]]}to{_ENDS[match[2]]}", "", ""
    return "unknown", "", ""


def kernels(spans: Spans, names: list[str], lanes: list[Lane]) -> Events[KernelEvent]:
    """Wrap rows as kernels."""

    def make(rows: Spans, row: int) -> KernelEvent:
        return KernelEvent(
            names[int(rows.name[row])], *_times(rows, row), *lanes[int(rows.lane[row])]
        )

    return Events(spans, make)


def copies(spans: Spans, names: list[str], lanes: list[Lane]) -> Events[Copy]:
    """Wrap rows as copies."""

    def make(rows: Spans, row: int) -> Copy:
        name = names[int(rows.name[row])]
        start, duration = _times(rows, row)
        device, stream = lanes[int(rows.lane[row])]
        return Copy(name, start, duration, device, stream, int(rows.size[row]), *copy_ends(name))

    return Events(spans, make)


def launches(spans: Spans, names: list[str], lanes: list[Lane]) -> Events[LaunchEvent]:
    """Wrap rows as launches."""

    def make(rows: Spans, row: int) -> LaunchEvent:
        name = names[int(rows.name[row])]
        thread = lanes[int(rows.lane[row])][1]
        return LaunchEvent(name, *_times(rows, row), thread, is_graph_launch(name))

    return Events(spans, make)


def synchronizations(spans: Spans, names: list[str], lanes: list[Lane]) -> Events[Synchronization]:
    """Wrap rows as synchronizations; `size` is the nesting depth of each among them."""

    def make(rows: Spans, row: int) -> Synchronization:
        thread = lanes[int(rows.lane[row])][1]
        return Synchronization(
            names[int(rows.name[row])], *_times(rows, row), thread, int(rows.size[row]) == 0
        )

    return Events(spans, make)


def _times(rows: Spans, row: int) -> tuple[float, float]:
    return int(rows.start[row]) / 1000, int(rows.duration[row]) / 1000


def allocations(spans: Spans, names: list[str]) -> Events[Allocation]:
    """Wrap rows as allocations; `name` is the device, `size` the bytes."""

    def make(rows: Spans, row: int) -> Allocation:
        return Allocation(int(rows.size[row]), _times(rows, row)[0], names[int(rows.name[row])])

    return Events(spans, make)
