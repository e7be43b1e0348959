"""Reads a definition of FlashInfer-Bench, or of SOL-ExecBench, which extends that form.

    flashinfer_trace/definitions/rmsnorm/rmsnorm_h4096.json
    flashinfer_trace/workloads/rmsnorm/rmsnorm_h4096.jsonl

    examples/triton/rmsnorm/definition.json, with workload.jsonl beside it

Sources: https://github.com/flashinfer-ai/flashinfer-bench, docs/flashinfer-trace;
https://github.com/NVIDIA/SOL-ExecBench, docs/definition.md and docs/workload.md.
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

SOL_DEFINITION, SOL_WORKLOADS = "definition.json", "workload.jsonl"

DTYPES = (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
    "int64", "int32", "int16", "int8", "bool",
)  # fmt: skip
"""The dtypes of the format that can be judged."""


class AxisSpec(BaseModel):
    """A named axis. value: its size if it is constant. expression: of other axes, or None."""

    type: Literal["const", "var", "expr"]
    value: Annotated[int, Field(gt=0)] | None = None
    expression: str | None = None


class FlashInferTensor(BaseModel):
    """shape: names of axes; None for a scalar."""

    shape: list[str] | None
    dtype: str
    description: str | None = None


class Definition(BaseModel):
    """An operator's definition. reference: Python source with `run`. Other keys are ignored.

    custom_inputs_entrypoint: name of the function in `reference` that makes `custom` inputs.
    """

    name: str
    axes: dict[str, AxisSpec]
    inputs: dict[str, FlashInferTensor]
    outputs: dict[str, FlashInferTensor]
    reference: str
    custom_inputs_entrypoint: str | None = None


class FlashInferInput(BaseModel):
    """The source of one input. value: of a scalar."""

    type: Literal["random", "scalar", "safetensors", "custom"]
    value: float | int | bool | None = None


class Tolerance(BaseModel):
    """Accepted errors. required_matched_ratio: share of the elements that must be within them."""

    max_atol: float = 1e-2
    max_rtol: float = 1e-2
    required_matched_ratio: float = 1.0


class FlashInferWorkload(BaseModel):
    """Sizes of the variable axes, and inputs by name."""

    axes: dict[str, int] = {}
    inputs: dict[str, FlashInferInput] = {}
    tolerance: Tolerance = Tolerance()


def title(path: Path) -> str:
    """Return a definition's name in reports: its file's, or SOL-ExecBench's folder's."""
    return path.parent.name if path.name == SOL_DEFINITION else path.stem


def is_definition(path: Path) -> bool:
    """Return whether the file has the format of a definition."""
    try:
        reported: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return False
    return isinstance(reported, dict) and {"axes", "inputs", "outputs", "reference"} <= {*reported}


def calls(path: Path) -> list[dict[str, Any]]:
    """Return the workloads as the oracle reads them: axes, inputs in order, outputs, tolerance.

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
            f"None of the {len(workloads)} workloads of {title(path)} can be judged: their inputs "
            "lie in files, which are no secret. Judged are `random`, `scalar`, `custom` inputs."
        )
    usable.sort(key=lambda workload: math.prod(workload.axes.values()))
    last = len(usable) - 1
    picked = sorted({round(last * n / (MOST - 1)) for n in range(MOST)})
    return [_call(definition, usable[each]) for each in picked]


def _call(definition: Definition, workload: FlashInferWorkload) -> dict[str, Any]:
    return {
        "axes": {
            name: axis.model_dump() | {"value": workload.axes.get(name, axis.value)}
            for name, axis in definition.axes.items()
        },
        "inputs": [
            {"name": name, **spec.model_dump(), **_source(workload.inputs.get(name))}
            for name, spec in definition.inputs.items()
        ],
        "outputs": [spec.model_dump() for spec in definition.outputs.values()],
        "custom": definition.custom_inputs_entrypoint,
        "tolerance": workload.tolerance.model_dump(),
    }


def _source(told: FlashInferInput | None) -> dict[str, Any]:
    return (told or FlashInferInput(type="random")).model_dump()


def _workloads(path: Path) -> list[Any]:
    """Return the workloads in the definition's file. Raises UserError if there is none."""
    if path.name == SOL_DEFINITION and (beside := path.with_name(SOL_WORKLOADS)).is_file():
        return [_of_sol(line) for line in _lines(beside)]
    root = next((each.parent for each in path.parents if each.name == DEFINITIONS), None)
    files = [] if root is None else [*(root / WORKLOADS).rglob(f"{path.stem}.jsonl")]
    if not files:
        raise UserError(
            f"{path} has no workloads: expected {WORKLOADS}/…/{path.stem}.jsonl beside "
            f"{DEFINITIONS}/."
        )
    return [line["workload"] for line in _lines(files[0])]


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    except ValueError as error:
        raise UserError(f"{file} is no JSON Lines: {error}") from None


def _of_sol(line: dict[str, Any]) -> dict[str, Any]:
    """Return a workload with SOL-ExecBench's own default: one element of a hundred may be off."""
    told: dict[str, Any] = line.get("tolerance") or {}
    tolerance = {"required_matched_ratio": 0.99, **told}
    return {**line, "tolerance": tolerance}


def sources(path: Path) -> dict[str, bytes]:
    """Return the files of a solution in JSON format, and a `submission.py` with its `run`.

    Raises UserError if it is not in Python.
    """
    reported: Any = json.loads(path.read_text(encoding="utf-8"))
    try:
        file, function = str(reported["spec"]["entry_point"]).split("::")
        texts = {str(each["path"]): _text(path, each) for each in reported["sources"]}
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


def _text(path: Path, source: dict[str, Any]) -> str:
    """Return a source's text, which may be in a file beside the solution."""
    beside = path.parent / Path(str(source["path"])).name
    told = source.get("content")
    return beside.read_text(encoding="utf-8") if told is None and beside.is_file() else str(told)
