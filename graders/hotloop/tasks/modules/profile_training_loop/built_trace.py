"""A trace in Kineto's format, built from figures that are sampled first and thus known.

In every trace, each rule of the task changes some figure by more than the tolerance: operators that
touch or start together, kernels that run past the end of a step, streams that are busy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hotloop.judge.constants import Between, constant
from hotloop.judge.seeds import Rng

HOST, OTHER_HOST, GPU = 4242, 4243, 0
MAIN_THREAD, OTHER_THREAD = 4242, 4311
OPS = ("aten::conv2d", "aten::linear", "aten::batch_norm", "aten::relu", "autograd::engine")
INNER = ("aten::convolution", "aten::addmm", "aten::native_batch_norm", "aten::clamp_min")
LAUNCHES = (
    ("cuda_runtime", "cudaLaunchKernel"),
    ("cuda_driver", "cuLaunchKernel"),
    ("cuda_runtime", "cudaLaunchKernelExC"),
    ("cuda_runtime", "cudaGraphLaunch"),
    ("cuda_driver", "cuLaunchKernelEx"),
    ("cuda_driver", "cuGraphLaunch"),
)
"""Category and name: PyTorch's kernels, Triton's and those of torch.compile, and CUDA graphs."""
OTHER_CALLS = (
    ("cuda_runtime", "cudaMemcpyAsync"),
    ("cuda_runtime", "cudaLaunchHostFunc"),
    ("cuda_driver", "cuModuleLoadData"),
)
TELLING = 0.03
"""A median differs by at least this share from other values that could be mistaken for it."""

Event = dict[str, Any]


class BuiltTrace:
    """A trace and its figures.

    streams: of the GPU; 0 means no GPU and no allocations on it. steps: how many. ends: the kinds
    of the file's first and last events, each of which decides a figure: "step", "op", "copy" or
    "launch". largest: upper bound in bytes of allocations.
    """

    def __init__(
        self,
        rng: Rng,
        streams: int,
        steps: int,
        ends: tuple[str, str] = ("step", "op"),
        largest: int = 1 << 30,
    ) -> None:
        self._rng = rng
        self._streams = streams
        self._ends = ends
        self._largest = largest
        self._events: list[Event] = []
        self._own: dict[str, float] = {}
        self._busy = 0.0
        self._launches = 0
        self._copies = 0
        self._sizes: list[int] = []
        self._durations = durations(rng, steps)
        at = int(rng.integers(1_000_000, 9_000_000))
        for number, duration in enumerate(self._durations):
            pause = int(rng.integers(4_000, 8_000))
            self._step(number + 3, at, duration, pause)
            at += duration + pause
        self._outside(at)

    def document(self) -> dict[str, Any]:
        """Return the file's contents; events come in random order, as in a real file."""
        order = self._rng.permutation(len(self._events))
        events = [self._events[int(i)] for i in order]
        first, last = (self._deciding(kind) for kind in self._ends)
        events = [first, *(e for e in events if e is not first and e is not last), last]
        named: Event = {"ph": "M", "name": "process_name", "pid": HOST, "args": {"name": "python"}}
        return {"schemaVersion": 1, "traceEvents": [named, *events]}

    def _deciding(self, kind: str) -> Event:
        """Return an event without which a figure would change."""
        begins = {
            "step": ("user_annotation", "ProfilerStep#"),
            "op": ("cpu_op", "aten::copy_"),
            "copy": ("gpu_memcpy", "Memcpy HtoD (Pageable"),
            "launch": ("cuda_runtime", "cudaLaunchKernelExC"),
        }[kind]
        return next(
            e for e in self._events if (e.get("cat"), e["name"][: len(begins[1])]) == begins
        )

    def figures(self) -> dict[str, Any]:
        """Return the right answer, by the keys of the task."""
        slowest = max(self._own, key=self._own.__getitem__)
        gpu = self._streams > 0
        total = sum(self._durations)
        return {
            "steps": len(self._durations),
            "step_ms": step_ms(self._durations),
            "slowest_op": slowest,
            "slowest_op_share": self._own[slowest] / sum(self._own.values()),
            "launches_per_step": launches_per_step(self._launches, len(self._durations)),
            "copies_to_device": self._copies,
            "gpu_idle_share": 1 - self._busy / total if gpu else None,
            "largest_allocation": max(self._sizes) if gpu else None,
        }

    def _step(self, number: int, start: int, duration: int, pause: int) -> None:
        """Add one step. pause: microseconds until the next one."""
        self._add(f"ProfilerStep#{number}", "user_annotation", start, duration)
        self._add("loading", "user_annotation", start, duration // 5)
        threads = [(HOST, MAIN_THREAD)]
        if self._streams > 1:
            threads += [(HOST, OTHER_THREAD), (OTHER_HOST, MAIN_THREAD)]
        for thread in threads:
            self._ops(thread, start + 10, duration - 20)
        if self._streams:
            self._gpu_work(start, duration, pause, last=number == len(self._durations) + 2)
            name = f"ProfilerStep#{number}"
            self._add(name, "gpu_user_annotation", start + 100, duration // 2, GPU, 7)
        self._memory(start)

    def _ops(self, thread: tuple[int, int], start: int, room: int) -> None:
        """Add consecutive operators, each with others inside; the first two touch."""
        edges = np.sort(self._rng.choice(np.arange(1, room), 2 * len(OPS), replace=False))
        edges[2] = edges[1]
        for name, (first, last) in zip(OPS, edges.reshape(-1, 2).tolist(), strict=True):
            length = last - first
            self._add(name, "cpu_op", start + first, length, *thread)
            inside = self._inner(thread, start + first, length)
            self._own[name] = self._own.get(name, 0.0) + length - inside

    def _inner(self, thread: tuple[int, int], start: int, length: int) -> int:
        """Add two inner operators that touch; return their microseconds.

        The first starts together with the outer operator, and so does the operator inside it.
        """
        if length < 40:
            return 0
        outer = int(self._rng.integers(length // 4, length // 2))
        name = INNER[int(self._rng.integers(len(INNER)))]
        self._add(name, "cpu_op", start, outer, *thread)
        deeper = outer // 3
        self._add("aten::empty", "cpu_op", start, deeper, *thread)
        self._add("aten::empty", "cpu_op", start + outer, deeper, *thread)
        self._own[name] = self._own.get(name, 0.0) + outer - deeper
        self._own["aten::empty"] = self._own.get("aten::empty", 0.0) + 2 * deeper
        return outer + deeper

    def _gpu_work(self, start: int, duration: int, pause: int, *, last: bool) -> None:
        """Add GPU work whose last kernel takes an eighth of the step and runs past its end.

        The other streams' kernels begin while the first stream is busy and end when it is not. In
        the pause there is more work, unless the step is the last one.
        """
        count = int(self._rng.integers(9, 13))
        eighth = duration // 8
        early = self._rng.choice(np.arange(1, duration - eighth), 2 * count - 2, replace=False)
        edges = np.array([*np.sort(early), duration - eighth, duration])
        follows = [*edges[2::2].tolist(), duration]
        for index, (first, until) in enumerate(edges.reshape(-1, 2).tolist()):
            behind = pause // 4 if until == duration else 0
            self._gpu_event(index, start + first, until - first + behind, stream=7)
            end, middle = until + (follows[index] - until) // 2, (first + until) // 2
            for other in range(1, self._streams):
                self._gpu_event(index + 1, start + middle, end - middle, stream=7 + other)
            self._busy += (end if self._streams > 1 else until) - first
            self._launch(index, start + max(1, first - 3))
        if last:
            return
        at = start + duration + pause // 2
        self._add("cudaLaunchKernel", "cuda_runtime", at, 2)
        self._add("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", at, pause // 4, GPU, 7)

    def _memory(self, start: int) -> None:
        """Add an allocation and a larger free; without a GPU, only the free."""
        size = int(self._rng.integers(1, self._largest + 1))
        if self._streams:
            self._sizes.append(size)
        for change in (size if self._streams else 0, -2 * size):
            arguments = {"Bytes": change, "Device Type": 1, "Device Id": 0}
            self._events.append(
                {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": HOST}
                | {"tid": MAIN_THREAD, "ts": start + 7, "args": arguments}
            )

    def _gpu_event(self, index: int, start: int, length: int, stream: int) -> None:
        name, kind = "void at::native::kernel<float>(int)", "kernel"
        if index % 3 == 0:
            name, kind = "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy"
            self._copies += 1
        elif index % 7 == 5:
            name, kind = "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy"
        elif index % 7 == 2:
            name, kind = "Memset (Device)", "gpu_memset"
        self._add(name, kind, start, length, GPU, stream)

    def _launch(self, index: int, at: int) -> None:
        """Add a call that launches, or after every two of them one that does not."""
        number, other = divmod(index, 3)
        launches = other < 2
        calls = LAUNCHES if launches else OTHER_CALLS
        kind, name = calls[(2 * number + other if launches else number) % len(calls)]
        self._launches += launches
        self._add(name, kind, at, 2)

    def _outside(self, at: int) -> None:
        """Add events after the last step, which count only for the whole trace's operators."""
        long = sum(self._durations) // 4
        self._add("aten::copy_", "cpu_op", at + 1000, long)
        self._own["aten::copy_"] = long
        if self._streams == 3:
            self._add("cudaLaunchKernel", "cuda_runtime", at + 1000, 2)
            self._add("late", "kernel", at + 1010, long, GPU, 7)

    def _add(
        self, name: str, kind: str, start: int, length: int, pid: int = HOST, tid: int = MAIN_THREAD
    ) -> None:
        event: Event = {"ph": "X", "cat": kind, "name": name, "pid": pid, "tid": tid}
        self._events.append({**event, "ts": start, "dur": length, "args": {}})


def step_ms(durations_us: Sequence[float]) -> float:
    """Return the median of the steps' durations in milliseconds; in a variant, another quantile."""
    return float(np.quantile(durations_us, constant("QUANTILE", 0.5, Between(0.05, 0.95)))) / 1000


def launches_per_step(launches: int, steps: int) -> float:
    """Return the mean launches per step; in a variant, per several steps."""
    return constant("LAUNCH_STEPS", 1, range(2, 61)) * launches / steps


def durations(rng: Rng, count: int) -> list[int]:
    """Return `count` durations in microseconds; values mistaken for the median differ from it."""
    while True:
        values = [int(d) for d in rng.integers(20_000, 60_000, count)]
        median = float(np.median(values))
        ordered = sorted(values)
        others = [values[0], values[-1], float(np.mean(values)), ordered[0], ordered[-1]]
        if count % 2 == 0:
            others += [ordered[count // 2 - 1], ordered[count // 2]]
        if all(abs(other - median) > TELLING * median for other in others):
            return values
