"""The judge's buffers as tensors of the framework (torch or numpy) that a task uses."""

import mmap
import os
import warnings
from typing import Any

from hotloop.core.wire import Message

TORCH_NAMES = {
    "fp64": "float64",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "u8": "uint8",
    "bool": "bool",
}

ELEMENT_BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "i64": 8, "i32": 4, "u8": 1, "bool": 1}
"""Bytes per element of the judge's tensors, by type (`hotloop.judge.dtypes`)."""


class Mapping:
    """One of the judge's buffers, mapped here. Writing to a read-only mapping raises a fault."""

    def __init__(self, fd: int, size: int, *, writable: bool) -> None:
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        self.memory = mmap.mmap(fd, size, mmap.MAP_SHARED | mmap.MAP_POPULATE, protection)
        os.close(fd)


def tensor(spec: Message, mappings: dict[int, Mapping], framework: str) -> Any:
    """Return a tensor over a mapped buffer; `spec` has the format of `Placement.to_message`."""
    memory = mappings[spec["buffer"]].memory
    if framework == "torch":
        return _torch_tensor(spec, memory)
    return _numpy_tensor(spec, memory)


def span(spec: Message) -> int:
    """Return how many elements lie between the first and the last one of a tensor, both included.

    The tensor must have elements.
    """
    return 1 + sum((n - 1) * s for n, s in zip(spec["shape"], spec["strides"], strict=True))


def describe(value: Any) -> Message:
    """Describe what a candidate returned: dtype and shape, or only the type if it has no shape."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return {"type": type(value).__name__}
    dtype = str(getattr(value, "dtype", "")).removeprefix("torch.")
    names = {name: short for short, name in TORCH_NAMES.items()}
    return {"dtype": names.get(dtype, dtype), "shape": [int(n) for n in shape]}


def copy_out(value: Any, spec: Message, mappings: dict[int, Mapping], framework: str) -> Message:
    """Copy a returned tensor into the judge's buffer if dtype and shape match.

    Returns its description in any case.
    """
    reported = describe(value)
    if reported.get("dtype") != spec["dtype"] or reported.get("shape") != spec["shape"]:
        return reported
    target = tensor(spec, mappings, framework)
    if framework == "torch":
        import torch

        target.copy_(torch.as_tensor(value).detach())
    else:
        target[...] = value
    return reported


def _torch_tensor(spec: Message, memory: mmap.mmap) -> Any:
    import torch

    dtype = getattr(torch, TORCH_NAMES[spec["dtype"]])
    if 0 in spec["shape"]:
        return torch.empty(spec["shape"], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns about a buffer that is read-only
        flat = torch.frombuffer(memory, dtype=dtype, count=span(spec), offset=spec["offset"])
    return flat.as_strided(spec["shape"], spec["strides"])


def _numpy_tensor(spec: Message, memory: mmap.mmap) -> Any:
    import numpy as np

    names = {"fp64": "f8", "fp32": "f4", "fp16": "f2", "i64": "i8", "i32": "i4", "u8": "u1"}
    dtype = np.dtype(names.get(spec["dtype"], "?"))
    strides = [s * dtype.itemsize for s in spec["strides"]]
    return np.ndarray(spec["shape"], dtype, memory, spec["offset"], strides)
