"""Sorts a trace's events by kind, checks each, and keeps what later queries need.

Kept: CPU operators, ranges, kernels, copies, memsets, runtime and driver calls, allocations. Only
counted: Python functions, flow arrows, metadata. The categories are Kineto's names for its
activities (libkineto/src/ActivityType.cpp).
"""

import math
from array import array
from collections import Counter
from typing import Any

from hotloop.engines.trace.error import EXPORT_AGAIN, Problem, TraceError
from hotloop.engines.trace.spans import Rows

Lane = tuple[int | str, int | str]
"""A process and a thread, or on a GPU a device and a stream."""

SPAN_KINDS = (
    "cpu_op",
    "user_annotation",
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "cuda_runtime",
    "cuda_driver",
)
ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
_STACKS = "python_function"
_INSTANT = "cpu_instant_event"
_MEMORY = "[memory]"
_ARRAY_FORM = "CPU functions"
"""The process of all events in the array that `prof.events().export_chrome_trace` writes."""
_STEP = "ProfilerStep#"
OLD_CATEGORIES = frozenset({"Operator", "Kernel", "Memcpy", "Memset", "Runtime"})
"""Of PyTorch before 1.13, which wrote other fields too."""
_DEVICE_TYPES = {0: "cpu", 1: "cuda", 20: "privateuse1"}

MOST_NAME = 4000
MOST_NAME_TEXT = 32 << 20
MOST_LANES = 1 << 16
# Microseconds until the year 2096: start and end still fit into 63 bits of nanoseconds.
MOST_TIME = 4e15
_MOST_BYTES = 1 << 62


class Collected:
    """The parts of a trace that are kept while it is read."""

    def __init__(self, problem: Problem, most_events: int) -> None:
        self.count = 0
        self.kinds = {kind: Rows() for kind in SPAN_KINDS}
        self.names: list[str] = []
        self.lanes: list[Lane] = []
        self.memory_at = array("q")
        self.memory_bytes = array("q")
        self.memory_total = array("q")
        self.memory_device = array("i")
        self.python_functions = 0
        self.has_stacks = False
        self.has_shapes = False
        self.left_out: Counter[str] = Counter()
        """Reason -> number of events without which the trace is read."""
        self.of_older_pytorch = False
        self._problem = problem
        self._most_events = most_events
        self._name_numbers: dict[str, int] = {}
        self._name_text = 0
        self._lane_numbers: dict[Lane, int] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Check one event, and keep it if its kind is kept.

        An event that the profiler did not finish is left out. Raises TraceError for other
        impossible values.
        """
        self.count += 1
        if self.count > self._most_events:
            raise self._problem(
                f"it is too large: it has more than {self._most_events:,} events",
                "Profile fewer steps, or leave out `with_stack`.",
            )
        phase, kind = event.get("ph"), event.get("cat")
        if phase == "X":
            self._span(event, kind if isinstance(kind, str) else _without_category(event))
        elif phase == "i" and kind == _INSTANT and event.get("name") == _MEMORY:
            self._memory(event)

    @property
    def known(self) -> int:
        """Number of events that torch.profiler writes about running code."""
        spans = sum(len(rows.start) for rows in self.kinds.values())
        return spans + len(self.memory_at) + self.python_functions

    def _span(self, event: dict[str, Any], kind: str) -> None:
        self.of_older_pytorch = self.of_older_pytorch or kind in OLD_CATEGORIES
        rows = self.kinds.get(kind)
        if rows is None:
            if kind == _STACKS:
                self.python_functions += 1
                self.has_stacks = True
            return
        start = self._nanoseconds(event.get("ts"))
        if event.get("dur") is None:
            self.left_out["a missing duration"] += 1
            return
        duration = self._nanoseconds(event["dur"])
        if duration < 0:
            self.left_out["a negative duration"] += 1
            return
        arguments = event.get("args")
        size = 0
        if isinstance(arguments, dict):
            size = self._arguments(kind, arguments)  # pyright: ignore[reportUnknownArgumentType]
        name = self._name(event.get("name"))
        rows.add(name, self._lane(event.get("pid"), event.get("tid")), start, duration, size)

    def _arguments(self, kind: str, arguments: dict[str, Any]) -> int:
        """Note whether shapes and stacks were recorded; return the bytes of a copy or memset."""
        if kind == "cpu_op":
            self.has_shapes = self.has_shapes or "Input Dims" in arguments
            self.has_stacks = self.has_stacks or "Call stack" in arguments
            return 0
        if kind in {"gpu_memcpy", "gpu_memset"}:
            return self._bytes(arguments.get("bytes", 0))
        return 0

    def _memory(self, event: dict[str, Any]) -> None:
        arguments: object = event.get("args")
        if not isinstance(arguments, dict):
            raise self._odd_number("the size of an allocation")
        values: dict[str, Any] = arguments  # pyright: ignore[reportUnknownVariableType]
        if values.get("Bytes") is None:
            self.left_out["a missing number of bytes"] += 1
            return
        self.memory_at.append(self._nanoseconds(event.get("ts")))
        self.memory_bytes.append(self._bytes(values.get("Bytes")))
        self.memory_total.append(self._bytes(values.get("Total Allocated", 0)))
        device = self._device(values.get("Device Type", 0), values.get("Device Id", -1))
        self.memory_device.append(self._name(device))

    def _device(self, kind: object, number: object) -> str:
        name = _DEVICE_TYPES.get(kind) if type(kind) is int else None
        if name is None:
            name = f"device type {kind}" if type(kind) is int else "device"
        return f"{name}:{number}" if type(number) is int and number >= 0 else name

    def _nanoseconds(self, value: object) -> int:
        """Convert microseconds, as in the file, to whole nanoseconds."""
        if type(value) is int or type(value) is float:
            if -MOST_TIME <= value <= MOST_TIME:
                return round(value * 1000)
            if type(value) is float and not math.isfinite(value):
                raise self._problem("a time in it is not finite", f"{EXPORT_AGAIN}.")
            raise self._problem("a time in it is absurdly far away", f"{EXPORT_AGAIN}.")
        raise self._odd_number("an event's time or duration")

    def _bytes(self, value: object) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not -_MOST_BYTES <= value <= _MOST_BYTES:
            raise self._odd_number("a number of bytes")
        return value

    def _odd_number(self, what: str) -> TraceError:
        return self._problem(f"{what} in it is missing or not a finite number", f"{EXPORT_AGAIN}.")

    def _name(self, value: object) -> int:
        name = value if isinstance(value, str) else "(no name)"
        number = self._name_numbers.get(name)
        if number is not None:
            return number
        if len(name) > MOST_NAME:
            return self._name(name[:MOST_NAME])
        self._name_text += len(name) + 64
        if self._name_text > MOST_NAME_TEXT:
            raise self._problem(
                "it has too many different names",
                "Do not put a counter or a value into the name of a range.",
            )
        number = self._name_numbers[name] = len(self.names)
        self.names.append(printable(name))
        return number

    def _lane(self, process: object, thread: object) -> int:
        lane = (_identifier(process), _identifier(thread))
        number = self._lane_numbers.get(lane)
        if number is None:
            number = self._lane_numbers[lane] = len(self.lanes)
            if number >= MOST_LANES:
                raise self._problem("it has too many threads", f"{EXPORT_AGAIN}.")
            self.lanes.append(lane)
        return number


def _without_category(event: dict[str, Any]) -> str:
    """Return the category of an event of the array form, whose events have none."""
    if "cat" in event or event.get("pid") != _ARRAY_FORM:
        return ""
    return "user_annotation" if str(event.get("name")).startswith(_STEP) else "cpu_op"


def _identifier(value: object) -> int | str:
    """Return a process or thread id; "?" for an invalid one or an integer over 62 bits."""
    if type(value) is int and -_MOST_BYTES <= value <= _MOST_BYTES:
        return value
    if isinstance(value, str):
        return printable(value[:64])
    return "?"


def printable(name: str) -> str:
    """Replace characters that move a terminal's cursor, reverse text or are invalid UTF-8."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else "\ufffd" for c in name)
