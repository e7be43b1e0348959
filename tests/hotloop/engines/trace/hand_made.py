"""GPU traces written by hand in Kineto's format, not recorded on a GPU.

Sources of the fields: libkineto/src/output_json.cpp and CuptiActivity.cpp of PyTorch's profiler.
Times are small whole microseconds, so that each expected figure can be checked by eye.
"""

import gzip
import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]
CPU, GPU = 100, 0
MAIN, BACKWARD = 100, 101


def span(cat: str, name: str, start: float, duration: float, tid: int = MAIN, **args: Any) -> Event:
    """Return a complete event, in the GPU's process if its category is one of the GPU's."""
    on_gpu = cat in {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation"}
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": GPU if on_gpu else CPU,
        "tid": tid,
        "ts": start,
        "dur": duration,
        "args": args,
    }


def kernel(name: str, start: float, duration: float, stream: int = 7) -> Event:
    return span("kernel", name, start, duration, stream, device=0, stream=stream, correlation=1)


def copy(name: str, start: float, duration: float, size: int, stream: int = 7) -> Event:
    return span("gpu_memcpy", name, start, duration, stream, bytes=size, device=0, stream=stream)


def memory(at: float, size: int, total: int, device: int = 0) -> Event:
    where = {"Device Type": 1, "Device Id": device}
    return {
        "ph": "i",
        "cat": "cpu_instant_event",
        "s": "t",
        "name": "[memory]",
        "pid": CPU,
        "tid": MAIN,
        "ts": at,
        "args": {"Bytes": size, "Total Allocated": total, "Total Reserved": total} | where,
    }


def two_steps() -> list[Event]:
    """Two steps of 100 µs: the GPU works 40 µs in the first and 20 µs in the second."""
    return [
        {"ph": "M", "name": "process_name", "ts": 0, "pid": CPU, "tid": 0, "args": {"name": "py"}},
        span("user_annotation", "ProfilerStep#3", 1000, 100),
        span("user_annotation", "ProfilerStep#4", 1100, 100),
        span("gpu_user_annotation", "ProfilerStep#3", 1010, 80, 7),
        span("user_annotation", "load", 1000, 20),
        span("user_annotation", "forward", 1020, 60),
        span("user_annotation", "block", 1030, 30),
        span("cpu_op", "aten::linear", 1020, 30, **{"Input Dims": [[4, 4]]}),
        span("cpu_op", "aten::addmm", 1022, 20, **{"Input Dims": [[4, 4]]}),
        span("cuda_runtime", "cudaLaunchKernel", 1030, 5, correlation=1),
        span("cpu_op", "aten::item", 1060, 25),
        span("cpu_op", "aten::_local_scalar_dense", 1061, 23),
        span("cuda_runtime", "cudaMemcpyAsync", 1062, 2),
        span("cuda_runtime", "cudaStreamSynchronize", 1065, 15),
        span("cpu_op", "AddmmBackward0", 1110, 20, BACKWARD),
        span("cuda_driver", "cuLaunchKernelEx", 1112, 3, BACKWARD),
        span("cuda_runtime", "cudaLaunchKernelExC_v11060", 1118, 3, BACKWARD),
        span("cuda_runtime", "cudaGraphLaunch", 1150, 4),
        span("cuda_runtime", "cudaDeviceSynchronize", 1160, 30),
        copy("Memcpy HtoD (Pageable -> Device)", 1010, 10, 4096),
        kernel("sgemm", 1035, 20),
        kernel("relu", 1045, 20, stream=13),  # ten of them at the same time as sgemm
        kernel("sgemm", 1115, 15),
        copy("Memcpy DtoH (Device -> Pinned)", 1130, 4, 4),
        span("gpu_memset", "Memset (Device)", 1140, 1, 7, bytes=64),
        {"ph": "s", "id": 1, "pid": CPU, "tid": MAIN, "ts": 1030, "cat": "ac2g", "name": "ac2g"},
        {"ph": "f", "id": 1, "pid": 0, "tid": 7, "ts": 1035, "cat": "ac2g", "name": "ac2g"},
        span("overhead", "Activity Buffer Request", 1000, 1),
        memory(1021, 4096, 4096),
        memory(1040, 1 << 20, 4096 + (1 << 20)),
        memory(1090, -(1 << 20), 4096),
        memory(1120, 512, 4608, device=1),
    ]


def write(path: Path, events: list[Event], **beside: Any) -> Path:
    """Write a trace file, compressed if the name ends in .gz."""
    text = json.dumps(
        {"schemaVersion": 1, "deviceProperties": []} | beside | {"traceEvents": events}
    )
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path
