"""A trace in Kineto's format, built from figures that are drawn first, so that they are known."""

from __future__ import annotations

from typing import Any

import numpy as np

Rng = np.random.Generator

HOST, GPU = 4242, 0
MAIN_THREAD, OTHER_THREAD = 4242, 4311
OPS = ("aten::conv2d", "aten::linear", "aten::batch_norm", "aten::relu", "autograd::engine")
INNER = ("aten::convolution", "aten::addmm", "aten::native_batch_norm", "aten::clamp_min")

Event = dict[str, Any]


class MadeTrace:
    """streams: of the GPU; without any there is no GPU in it, and no memory was recorded."""

    def __init__(self, rng: Rng, streams: int) -> None:
        self._rng = rng
        self._streams = streams
        self._events: list[Event] = []
        self._own: dict[str, float] = {}
        self._busy = 0.0
        self._launches = 0
        self._copies = 0
        self._sizes: list[int] = []
        self._durations = [int(d) for d in rng.integers(20_000, 60_000, int(rng.integers(3, 8)))]
        at = int(rng.integers(1_000_000, 9_000_000))
        for number, duration in enumerate(self._durations):
            self._step(number + 3, at, duration)
            at += duration + int(rng.integers(0, 400))
        self._outside(at)

    def document(self) -> dict[str, Any]:
        """What the file holds; the order of events is as accidental as in a real one."""
        order = self._rng.permutation(len(self._events))
        events = [self._events[int(i)] for i in order]
        named: Event = {"ph": "M", "name": "process_name", "pid": HOST, "args": {"name": "python"}}
        return {"schemaVersion": 1, "traceEvents": [named, *events]}

    def figures(self, quantile: float = 0.5, launch_steps: int = 1) -> dict[str, Any]:
        """The truth, by the keys of the task: see `traces.Asked`."""
        slowest = max(self._own, key=self._own.__getitem__)
        gpu = self._streams > 0
        total = sum(self._durations)
        return {
            "steps": len(self._durations),
            "step_ms": float(np.quantile(self._durations, quantile)) / 1000,
            "slowest_op": slowest,
            "slowest_op_share": self._own[slowest] / sum(self._own.values()),
            "launches_per_step": launch_steps * self._launches / len(self._durations),
            "copies_to_device": self._copies,
            "gpu_idle_share": 1 - self._busy / total if gpu else None,
            "largest_allocation": max(self._sizes) if gpu else None,
        }

    def _step(self, number: int, start: int, duration: int) -> None:
        self._add(f"ProfilerStep#{number}", "user_annotation", start, duration)
        self._add("loading", "user_annotation", start, duration // 5)
        threads = (MAIN_THREAD, OTHER_THREAD) if self._streams > 1 else (MAIN_THREAD,)
        for thread in threads:
            self._ops(thread, start + 10, duration - 20)
        if self._streams:
            self._gpu_work(start, duration)

    def _ops(self, thread: int, start: int, room: int) -> None:
        """Operators one after the other, each with others inside."""
        edges = np.sort(self._rng.choice(np.arange(1, room), 2 * len(OPS), replace=False))
        for name, (first, last) in zip(OPS, edges.reshape(-1, 2).tolist(), strict=True):
            length = last - first
            self._add(name, "cpu_op", start + first, length, tid=thread)
            inside = self._inner(thread, start + first, length)
            self._own[name] = self._own.get(name, 0.0) + length - inside

    def _inner(self, thread: int, start: int, length: int) -> int:
        if length < 40:
            return 0
        taken = int(self._rng.integers(length // 4, length // 2))
        name = INNER[int(self._rng.integers(len(INNER)))]
        self._add(name, "cpu_op", start + 5, taken, tid=thread)
        deeper = taken // 3
        self._add("aten::empty", "cpu_op", start + 6, deeper, tid=thread)
        self._own[name] = self._own.get(name, 0.0) + taken - deeper
        self._own["aten::empty"] = self._own.get("aten::empty", 0.0) + deeper
        return taken

    def _gpu_work(self, start: int, duration: int) -> None:
        """The first stream alone decides when the GPU is busy: the others work beneath it."""
        count = int(self._rng.integers(4, 12))
        edges = np.sort(self._rng.choice(np.arange(1, duration), 2 * count, replace=False))
        for index, (first, last) in enumerate(edges.reshape(-1, 2).tolist()):
            length = last - first
            self._gpu_event(index, start + first, length, stream=7)
            self._busy += length
            for other in range(1, self._streams):
                self._gpu_event(index + 1, start + first, max(1, length // 2), stream=7 + other)
            self._launch(start + max(0, first - 3))
        size = int(self._rng.integers(1 << 10, 1 << 30))
        self._sizes.append(size)
        for change in (size, -2 * size):
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
        self._add(name, kind, start, length, pid=GPU, tid=stream)

    def _launch(self, at: int) -> None:
        name = ("cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync")[
            int(self._rng.integers(3))
        ]
        self._launches += name.startswith("cudaLaunchKernel")
        self._add(name, "cuda_runtime", at, 2)

    def _outside(self, at: int) -> None:
        """Behind the last step: not within any, but part of the whole trace's operators."""
        self._add("aten::copy_", "cpu_op", at + 1000, 90)
        self._own["aten::copy_"] = self._own.get("aten::copy_", 0.0) + 90
        if self._streams:
            self._add("cudaLaunchKernel", "cuda_runtime", at + 1000, 2)
            self._add("late", "kernel", at + 1010, 500, pid=GPU, tid=7)

    def _add(
        self, name: str, kind: str, start: int, length: int, pid: int = HOST, tid: int = MAIN_THREAD
    ) -> None:
        event: Event = {"ph": "X", "cat": kind, "name": name, "pid": pid, "tid": tid}
        self._events.append({**event, "ts": start, "dur": length, "args": {}})
