"""Reads a definition of FlashInfer-Bench and the workloads in the folder beside it.

    flashinfer_trace/definitions/rmsnorm/rmsnorm_h4096.json
    flashinfer_trace/workloads/rmsnorm/rmsnorm_h4096.jsonl

Source: https://github.com/flashinfer-ai/flashinfer-bench, docs/flashinfer-trace.
"""

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from hotloop.core.user_error import UserError

DEFINITIONS, WORKLOADS = "definitions", "workloads"
MOST = 5
"""Most workloads that are judged; they are spread evenly from the smallest to the largest."""

DTYPES = ("float32", "float16", "bfloat16", "int64", "int32", "bool")
"""The dtypes of the format that can be judged."""


class AxisSpec(BaseModel):
    """A named axis. value: its size if it is constant, else None."""

    type: Literal["const", "var"]
    value: Annotated[int, Field(gt=0)] | None = None


class FlashInferTensor(BaseModel):
    """shape: names of axes; None for a scalar."""

    shape: list[str] | None
    dtype: str


class Definition(BaseModel):
    """An operator's definition. reference: Python source with `run`. Other keys are ignored."""

    name: str
    axes: dict[str, AxisSpec]
    inputs: dict[str, FlashInferTensor]
    outputs: dict[str, FlashInferTensor]
    reference: str


class FlashInferInput(BaseModel):
    """The source of one input. value: of a scalar."""

    type: Literal["random", "scalar", "safetensors"]
    value: float | int | bool | None = None


class FlashInferWorkload(BaseModel):
    """Sizes of the variable axes, and inputs by name."""

    axes: dict[str, int]
    inputs: dict[str, FlashInferInput]


def is_definition(path: Path) -> bool:
    """Return whether the file has the format of a definition."""
    try:
        reported: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return False
    return isinstance(reported, dict) and {"axes", "inputs", "outputs", "reference"} <= {*reported}


def calls(path: Path) -> list[dict[str, Any]]:
    """Return the workloads as the oracle reads them: inputs in order, shapes and dtypes of outputs.

    Raises UserError if none can be judged.
    """
    try:
        definition = Definition.model_validate_json(path.read_text(encoding="utf-8"))
        workloads = [FlashInferWorkload.model_validate(each) for each in _workloads(path)]
    except ValidationError as error:
        raise UserError(f"{path} is not in FlashInfer-Bench's form: {error}") from None
    tensors = [*definition.inputs.values(), *definition.outputs.values()]
    if unknown := {each.dtype for each in tensors} - {*DTYPES}:
        raise UserError(f"{path} has {', '.join(sorted(unknown))}: judged are {', '.join(DTYPES)}.")
    usable = [w for w in workloads if all(i.type != "safetensors" for i in w.inputs.values())]
    if not usable:
        raise UserError(
            f"None of the {len(workloads)} workloads of {path.stem} can be judged: their inputs "
            "lie in files, which are no secret. Judged are `random` and `scalar` inputs."
        )
    usable.sort(key=lambda workload: math.prod(workload.axes.values()))
    last = len(usable) - 1
    picked = sorted({round(last * n / (MOST - 1)) for n in range(MOST)})
    return [_call(definition, usable[each]) for each in picked]


def _call(definition: Definition, workload: FlashInferWorkload) -> dict[str, Any]:
    sizes = {name: workload.axes.get(name, axis.value) for name, axis in definition.axes.items()}

    def tensor(spec: FlashInferTensor) -> dict[str, Any]:
        shape = None if spec.shape is None else [sizes[name] for name in spec.shape]
        return {"shape": shape, "dtype": spec.dtype}

    plain = {n: source.value for n, source in workload.inputs.items() if source.type == "scalar"}
    inputs = [
        {"value": plain[name]} if name in plain else tensor(spec)
        for name, spec in definition.inputs.items()
    ]
    return {"inputs": inputs, "outputs": [tensor(spec) for spec in definition.outputs.values()]}


def _workloads(path: Path) -> list[Any]:
    """Return the workloads in the definition's file. Raises UserError if there is none."""
    root = next((each.parent for each in path.parents if each.name == DEFINITIONS), None)
    files = [] if root is None else [*(root / WORKLOADS).rglob(f"{path.stem}.jsonl")]
    if not files:
        raise UserError(
            f"{path} has no workloads: expected {WORKLOADS}/…/{path.stem}.jsonl beside "
            f"{DEFINITIONS}/."
        )
    lines = files[0].read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["workload"] for line in lines if line.strip()]


def sources(path: Path) -> dict[str, bytes]:
    """Return the files of a solution in JSON format, and a `submission.py` with its `run`.

    Raises UserError if it is not in Python.
    """
    reported: Any = json.loads(path.read_text(encoding="utf-8"))
    try:
        file, function = str(reported["spec"]["entry_point"]).split("::")
        texts = {str(each["path"]): str(each["content"]) for each in reported["sources"]}
        texts[file]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} is no solution of FlashInfer-Bench: {error!r}.") from None
    if not file.endswith(".py") or any(Path(n).is_absolute() or ".." in n for n in texts):
        raise UserError(f"{path}: judged are solutions in Python, with sources below their folder.")
    if "/" in file:  # its relative imports work only from there
        module = file.removesuffix(".py").replace("/", ".")
        texts["submission.py"] = f"from {module} import {function} as run\n"
    else:  # so that its kernels are where bytes are counted
        texts["submission.py"] = f"{texts[file]}\nrun = {function}\n"
    return {name: text.encode() for name, text in texts.items()}
