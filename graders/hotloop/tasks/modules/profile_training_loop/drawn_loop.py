"""A training loop on a GPU that is simulated event by event, as torch.profiler would record it.

The steps are drawn; host threads, streams and memory then follow their rules, so that every event
of the trace has a cause. What a viewer shows of such a trace is in `viewed.py`.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from hotloop.judge.seeds import Rng

HOST, GPU = 5150, 0
MAIN, BACKWARD = 5150, 5177
COMPUTE, COPIES = 7, 20
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
SYNCHRONIZE = "cudaStreamSynchronize"
LAYERS = 4
CAUSES = ("loader", "log", "validate")
"""What the host does in the longest gap between two steps."""

Event = dict[str, Any]


class DrawnLoop:
    """A trace of `steps` steps. events: in the order in which they ended.

    cause: of the longest gap between two steps, one of CAUSES.
    """

    def __init__(self, rng: Rng, steps: int, cause: str) -> None:
        self._rng = rng
        self._cause = cause
        self.events: list[Event] = []
        self._now = int(rng.integers(1_000_000, 9_000_000))
        self._thread = MAIN
        self._free = {COMPUTE: 0, COPIES: 0}
        self._correlation = int(rng.integers(1000, 9000))
        self._allocated = {0: 8 << 30, 1: int(rng.integers(1 << 30, 2 << 30))}
        self._kept: list[int] = []
        self._idle, self._hidden, self._inside, self._full = (
            int(i) for i in rng.permutation(steps - 1)[:4]
        )
        self._long = int(rng.integers(6000, 9000))
        self._full_in_forward = bool(rng.integers(2))
        self._first = int(rng.integers(2, 30))
        for index in range(steps):
            self._step(index)

    def document(self) -> dict[str, Any]:
        """Return the file's contents; events come in random order, as in a real file."""
        events = [self.events[int(i)] for i in self._rng.permutation(len(self.events))]
        names = {HOST: "python", GPU: "GPU 0"}
        named = [
            {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
            for pid, name in names.items()
        ]
        return {"schemaVersion": 1, "traceEvents": [*named, *events]}

    def _step(self, index: int) -> None:
        """One step. After step `_idle` the GPU has nothing to do; after `_hidden` it has.

        In step `_inside` it has nothing to do in the middle; in step `_full` the most memory.
        """
        after_idle = index - 1 == self._idle and self._cause == "loader"
        after_hidden = index - 1 == self._hidden
        load = self._long if after_idle else 2 * self._long if after_hidden else self._us(200, 500)
        heavy = self._long // 3 if index == self._hidden else self._us(200, 400)
        with self._span(f"ProfilerStep#{self._first + index}", "user_annotation"):
            self._load(load)
            self._forward(index, heavy)
            self._backward(heavy)
            with self._span("Optimizer.step#SGD.step", "user_annotation"):
                for name in ("aten::_foreach_mul_", "aten::_foreach_add_"):
                    with self._span(name):
                        self._spend(20, 60)
                        self._launch("multi_tensor_apply_kernel", self._us(40, 90))
            self._end_of_step(index)
        self._spend(5, 20)

    def _load(self, us: int) -> None:
        with self._span(LOADER, "user_annotation"):
            self._now += us
            with self._span("aten::stack"):
                self._spend(20, 40)
                self._memory(0, self._us(1 << 20, 1 << 22))
        self._prefetch()
        with self._span("aten::to"), self._span("aten::_to_copy"):
            self._spend(5, 10)
            with self._span("aten::copy_"):
                self._keep(self._us(1 << 24, 1 << 25))
                self._call("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", self._us(100, 200))

    def _forward(self, index: int, heavy: int) -> None:
        with self._span("forward", "user_annotation"):
            full = index == self._full
            for layer in range(LAYERS):
                with self._span("aten::conv2d"), self._span("aten::convolution"):
                    self._spend(5, 15)
                    with self._span("aten::cudnn_convolution"):
                        self._spend(10, 40)
                        self._keep((3 << 25 if full else 1 << 26) + self._us(0, 1 << 20))
                        if full and layer == LAYERS - 1 and self._full_in_forward:
                            self._memory(1, 1 << 26)
                            self._memory(1, -(1 << 26))
                        self._launch("cutlass_tensorop_s1688fprop_optimized", 6 * heavy // 5)
                with self._span("CompiledFxGraph batch_norm_relu"):
                    self._spend(5, 15)
                    self._launch("triton_poi_fused_relu", self._us(30, 60), "cuLaunchKernel")
            if index == self._inside:
                self._wait_for_mask()
                with self._span("mixup", "user_annotation"):
                    self._now += 3 * self._long // 2

    def _prefetch(self) -> None:
        """Copy and set memory on the other stream, where it ends after what runs on the first."""
        with self._span("prefetch", "user_annotation"), self._span("aten::fill_"):
            self._spend(5, 10)
            self._call("cudaMemsetAsync", "Memset (Device)", self._us(30, 90), COPIES)
            self._call(
                "cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", self._us(900, 1500), COPIES
            )

    def _backward(self, heavy: int) -> None:
        with self._span("backward", "user_annotation"):
            self._spend(20, 40)
            self._thread = BACKWARD
            for _ in range(LAYERS):
                engine = "autograd::engine::evaluate_function: ConvolutionBackward0"
                with self._span(engine), self._span("aten::convolution_backward"):
                    self._spend(20, 40)
                    workspace = self._us(1 << 22, 1 << 23)
                    self._memory(1, workspace)
                    self._launch("cutlass_tensorop_s1688dgrad_optimized", heavy)
                    self._launch("cutlass_tensorop_s1688wgrad_optimized", heavy // 2)
                    self._memory(1, -workspace)
                    self._memory(1, -self._kept.pop())
            self._thread = MAIN
        # The largest allocation of all comes when little else is allocated.
        with self._span("aten::cat"):
            self._spend(5, 10)
            size = (3 << 26) + self._us(0, 1 << 20)
            self._memory(1, size)
            self._memory(1, -size)
        self._memory(1, -self._kept.pop())

    def _end_of_step(self, index: int) -> None:
        """Wait for the loss, where the step does, and log."""
        drains = index == self._idle and self._cause == "loader"
        if index != self._hidden and not drains:
            with self._span("aten::item"), self._span("aten::_local_scalar_dense"):
                self._spend(5, 10)
                self._call("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", 2)
                self._wait()
        if index == self._idle and self._cause == "log":
            with self._span("log", "user_annotation"):
                self._now += self._long
                with self._span("aten::to"):
                    self._spend(100, 200)
        if index == self._idle and self._cause == "validate":
            with self._span("validate", "user_annotation"):
                self._spend(300, 400)
                with self._span("aten::topk"), self._span("aten::sort"):
                    self._now += self._long

    def _wait_for_mask(self) -> None:
        with self._span("aten::index"), self._span("aten::nonzero"):
            self._spend(5, 10)
            mask = self._us(20_000, 25_000) if self._cause == "log" else self._us(5000, 6000)
            self._launch("cub::DeviceSelectSweepKernel", mask)
            self._wait()
            self._now += self._long  # its own work on the host, which is no waiting

    # --- host, streams, memory --------------------------------------------------------------------

    @contextmanager
    def _span(self, name: str, kind: str = "cpu_op") -> Generator[None]:
        started, thread = self._now, self._thread
        self._now += 2
        yield
        self._now += 2
        self._add(name, kind, started, self._now - started, HOST, thread)

    def _launch(self, kernel: str, us: int, call: str = "cudaLaunchKernel") -> None:
        self._call(call, kernel, us, COMPUTE)

    def _call(self, call: str, work: str, us: int, stream: int = COMPUTE) -> None:
        """Call the CUDA API, which queues `us` microseconds of work on a stream."""
        self._correlation += 1
        arguments = {"correlation": self._correlation}
        kind = "cuda_driver" if call.startswith("cuL") else "cuda_runtime"
        self._add(call, kind, self._now, 4, HOST, self._thread, arguments)
        started = max(self._now + 6, self._free[stream] + 1)
        self._free[stream] = started + us
        kind = {"Memcp": "gpu_memcpy", "Memse": "gpu_memset"}.get(work[:5], "kernel")
        arguments = {**arguments, "device": 0, "stream": stream}
        self._add(work, kind, started, us, GPU, stream, arguments)
        self._arrow("s", self._now, HOST, self._thread)
        self._arrow("f", started, GPU, stream)
        self._now += 5

    def _wait(self) -> None:
        self._correlation += 1
        until = max(self._now, self._free[COMPUTE]) + 3
        arguments = {"correlation": self._correlation}
        name, length = SYNCHRONIZE, until - self._now
        self._add(name, "cuda_runtime", self._now, length, HOST, self._thread, arguments)
        self._now = until + 1

    def _keep(self, size: int) -> None:
        self._kept.append(size)
        self._memory(1, size)

    def _memory(self, device_type: int, size: int) -> None:
        """Write an allocation, or with a negative size a free. device_type: 0 the host, 1 CUDA."""
        self._allocated[device_type] += size
        total = self._allocated[device_type]
        arguments = {"Total Reserved": 2 * total, "Total Allocated": total, "Bytes": size}
        arguments |= {"Device Type": device_type, "Device Id": device_type - 1}
        event = {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]"}
        where = {"pid": HOST, "tid": self._thread, "ts": self._now}
        self.events.append({**event, **where, "args": arguments})
        self._now += 1

    def _arrow(self, phase: str, at: int, pid: int, tid: int) -> None:
        event = {"ph": phase, "id": self._correlation, "cat": "ac2g", "name": "ac2g"}
        self.events.append({**event, "pid": pid, "tid": tid, "ts": at, "bp": "e"})

    def _add(self, name: str, kind: str, at: int, us: int, pid: int, tid: int, *args: Any) -> None:
        event = {"ph": "X", "cat": kind, "name": name, "pid": pid, "tid": tid, "ts": at, "dur": us}
        self.events.append({**event, "args": args[0] if args else {}})

    def _spend(self, low: int, high: int) -> None:
        self._now += self._us(low, high)

    def _us(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high))
