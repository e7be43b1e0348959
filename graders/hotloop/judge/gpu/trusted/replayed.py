"""Launches vetted Triton kernels as recorded plans say, in place of the learner's launcher.

Beside this file are `NAME.json`, the plans by the calls' shapes, and `NAME_kernels.py`, the
kernels; NAME is this copy's own name. Nothing else of the learner is in this process.
"""

import importlib.util
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch

HERE = Path(__file__)

TYPES = {
    "fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16",
    "i64": "int64", "u64": "uint64", "i32": "int32", "u32": "uint32",
    "i16": "int16", "u16": "uint16", "i8": "int8", "u8": "uint8", "i1": "bool",
}  # fmt: skip
"""PyTorch's names of Triton's element types."""


def replayed(*arguments: Any) -> None:
    """Launch the kernels of a call with these shapes; the last argument is filled."""
    for launch in PLANS[key(arguments)](arguments):
        launch()


def key(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what tells calls apart: shapes, strides and dtypes of tensors, and plain values."""
    return tuple(
        (tuple(a.shape), a.stride() if a.numel() else (), str(a.dtype))
        if isinstance(a, torch.Tensor)
        else a
        for a in arguments
    )


def prepared(plan: dict[str, Any], kernels: Any) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function that yields the launches of a plan for a call's arguments."""
    language: Any = importlib.import_module("triton.language")
    scratch = plan["scratch"]
    launches = [
        (getattr(kernels, launch["kernel"]), tuple(launch["grid"]), launch["arguments"],
         {"num_warps": launch["num_warps"], "num_stages": launch["num_stages"]})
        for launch in plan["launches"]
    ]  # fmt: skip

    def launching(arguments: tuple[Any, ...]) -> Any:
        device = arguments[-1].device
        temporary = [_scratch(each, device) for each in scratch]
        for kernel, grid, named, options in launches:
            values = {n: _value(v, arguments, temporary, language) for n, v in named.items()}
            yield partial(kernel[grid], **values, **options)

    return launching


def _scratch(entry: dict[str, Any], device: Any) -> Any:
    if entry["fill"] is None:
        return torch.empty(entry["bytes"], dtype=torch.uint8, device=device)
    element = bytes.fromhex(entry["fill"])
    if not any(element):
        return torch.zeros(entry["bytes"], dtype=torch.uint8, device=device)
    one = torch.tensor(list(element), dtype=torch.uint8, device=device)
    return one.repeat(entry["bytes"] // len(element))


def _value(given: dict[str, Any], arguments: tuple[Any, ...], scratch: list[Any], tl: Any) -> Any:
    if "value" in given:
        return given["value"]
    if "float" in given:
        return float(given["float"])
    dtype = TYPES[given.get("dtype") or given["type"]]
    if "type" in given:
        return getattr(tl, "int1" if dtype == "bool" else dtype)
    wanted = getattr(torch, dtype)
    base = (arguments if given["tensor"] == "argument" else scratch)[given["index"]]
    if given["offset"] == 0 and base.dtype == wanted:
        return base
    place = base.storage_offset() * base.element_size() + given["offset"]
    raw = torch.empty(0, dtype=torch.uint8, device=base.device).set_(base.untyped_storage())
    # A kernel takes an address and an element type; where the storage ends is not its business.
    whole = raw[place : place + (len(raw) - place) // wanted.itemsize * wanted.itemsize]
    return whole.view(wanted)


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, cast(list[Any], value))) if isinstance(value, list) else value


def _plans() -> dict[tuple[Any, ...], Callable[[tuple[Any, ...]], Any]]:
    kernels = _module(HERE.with_name(f"{HERE.stem}_kernels.py"))
    documents = json.loads(HERE.with_suffix(".json").read_text())
    return {_tuples(each["key"]): prepared(each["plan"], kernels) for each in documents}


PLANS = _plans() if HERE.with_suffix(".json").exists() else {}
