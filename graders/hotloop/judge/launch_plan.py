"""The kernel launches that a learner's worker reports: parsed as plain data, checked and limited.

The plan is only a claim. It is accepted because its replay gives the correct answer in a process
without the learner's Python code, on inputs that did not exist when the claim was made.
"""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.kernel_lists import TEXTS, is_text
from hotloop.judge.kernel_source import KernelSource, Parameter

MAX_LAUNCHES = 64
MAX_PROGRAMS = 65_536
MAX_ARGUMENTS = 64
MAX_SCRATCH_BYTES = 256 << 20

ELEMENT_BYTES: Mapping[str, int] = {
    "fp64": 8,
    "fp32": 4,
    "fp16": 2,
    "bf16": 2,
    "i64": 8,
    "u64": 8,
    "i32": 4,
    "u32": 4,
    "i16": 2,
    "u16": 2,
    "i8": 1,
    "u8": 1,
    "i1": 1,
}
"""Element types of pointers, by Triton's names, and their size in bytes."""


@dataclass(frozen=True)
class Pointer:
    """A tensor argument. tensor: "argument" or "scratch"; offset: bytes from its first element."""

    tensor: str
    index: int
    offset: int
    dtype: str

    def to_message(self) -> dict[str, Any]:
        """As `hotloop.worker.triton_replay` wants it."""
        return asdict(self)


@dataclass(frozen=True)
class Scalar:
    """A plain argument; floats may be infinite or NaN, texts are `kernel_lists.is_text`."""

    value: int | float | bool | str | None


@dataclass(frozen=True)
class TypeName:
    """A dtype passed as a constexpr, by Triton's name."""

    dtype: str


Argument = Pointer | Scalar | TypeName


@dataclass(frozen=True)
class Launch:
    """One launch: grid in programs, arguments by parameter name."""

    kernel: str
    grid: tuple[int, int, int]
    arguments: Mapping[str, Argument]
    num_warps: int
    num_stages: int


@dataclass(frozen=True)
class Scratch:
    """A temporary tensor.

    fill: the element that it was filled with, as hex bytes, or None. digest: SHA-256 of what it
    held when it was first seen; empty if nobody has said.
    """

    bytes: int
    fill: str | None
    digest: str = ""


@dataclass(frozen=True)
class Plan:
    """All launches of one call, in order.

    returned: where the returned tensors begin, each contiguous from there on; None for one that is
    not, or is no tensor.
    """

    launches: Sequence[Launch]
    scratch: Sequence[Scratch]
    returned: Sequence[Pointer | None] = ()

    @property
    def kernels(self) -> set[str]:
        """Names of the launched kernels."""
        return {launch.kernel for launch in self.launches}

    def to_message(self) -> dict[str, Any]:
        """Return the plan for `hotloop.worker.triton_replay`."""
        return {
            "launches": [
                {
                    "kernel": launch.kernel,
                    "grid": list(launch.grid),
                    "arguments": {n: _to_message(a) for n, a in launch.arguments.items()},
                }
                for launch in self.launches
            ],
            "scratch": [{"bytes": s.bytes, "fill": s.fill} for s in self.scratch],
        }


def read(
    claim: object,
    tensors: int,
    *,
    most_programs: int = MAX_PROGRAMS,
    most_scratch_bytes: int = MAX_SCRATCH_BYTES,
) -> Plan:
    """Read the plan from a worker's report about a call with `tensors` arguments.

    most_programs: of a launch. most_scratch_bytes: of all temporary tensors together.

    Raises Ruling: TAMPERED if the format is invalid, WRONG_ANSWER with advice if a launch cannot be
    replayed.
    """
    document = _object(claim)
    scratch = [_scratch(s) for s in _list(document.get("scratch"), MAX_LAUNCHES * MAX_ARGUMENTS)]
    if sum(s.bytes for s in scratch) > most_scratch_bytes:
        _advise(f"it needs more than {most_scratch_bytes >> 20} MiB of temporary tensors")
    claimed = _list(document.get("launches"), 2 * MAX_LAUNCHES)
    if len(claimed) > MAX_LAUNCHES:
        _advise(f"it launches more than {MAX_LAUNCHES} kernels in one call")
    launches = [_launch(entry, tensors, len(scratch), most_programs) for entry in claimed]
    if not launches:
        _advise("it launches no Triton kernel: do the work in a @triton.jit function")
    returned = _list(document.get("returned", []), MAX_ARGUMENTS)
    places = [_returned(entry, tensors, len(scratch)) for entry in returned]
    return Plan(launches, scratch, places)


def require_fit(plan: Plan, source: KernelSource) -> None:
    """Raise Ruling(WRONG_ANSWER) unless every launch has the arguments that its kernel requires."""
    for launch in plan.launches:
        parameters = {p.name: p for p in source.kernels[launch.kernel]}
        for name in launch.arguments:
            if name not in parameters:
                _advise(f"`{launch.kernel}` has no parameter `{name}`")
        for parameter in parameters.values():
            _require_argument(launch, parameter)


def _require_argument(launch: Launch, parameter: Parameter) -> None:
    argument = launch.arguments.get(parameter.name)
    if argument is None:
        if parameter.required:
            _advise(f"the launch of `{launch.kernel}` lacks its argument `{parameter.name}`")
        return
    if parameter.constexpr == isinstance(argument, Scalar | TypeName):
        return
    if parameter.constexpr:
        _advise(f"`{parameter.name}` of `{launch.kernel}` is tl.constexpr but got a tensor")
    if isinstance(argument, TypeName):
        _advise(f"`{parameter.name}` of `{launch.kernel}` got a dtype: mark it tl.constexpr")
    if isinstance(argument, Scalar) and isinstance(argument.value, str):
        _advise(f"`{parameter.name}` of `{launch.kernel}` got a text: mark it tl.constexpr")


def _launch(claim: object, tensors: int, scratch: int, most_programs: int) -> Launch:
    document = _object(claim)
    kernel = _name(document.get("kernel"))
    grid = _list(document.get("grid"), 3)
    extents = [_integer(n, 0, 1 << 31) for n in grid] + [1] * (3 - len(grid))
    if not grid or math.prod(extents) > most_programs:
        _advise(f"`{kernel}` is launched with more than {most_programs} programs")
    arguments = _object(document.get("arguments"))
    if len(arguments) > MAX_ARGUMENTS:
        _tampered()
    return Launch(
        kernel=kernel,
        grid=(extents[0], extents[1], extents[2]),
        arguments={_name(n): _argument(n, a, tensors, scratch) for n, a in arguments.items()},
        num_warps=_option(document.get("num_warps"), (1, 2, 4, 8, 16, 32), "num_warps", kernel),
        num_stages=_option(document.get("num_stages"), range(1, 17), "num_stages", kernel),
    )


def _option(value: object, allowed: Container[int], name: str, kernel: str) -> int:
    number = _integer(value, -(1 << 31), 1 << 31)
    if number not in allowed:
        _advise(f"`{kernel}` is launched with {name}={number}, which no GPU takes")
    return number


def _argument(name: str, claim: object, tensors: int, scratch: int) -> Argument:
    document = _object(claim)
    if "unsupported" in document:
        kind = document["unsupported"]
        what = kind[:40] if isinstance(kind, str) else "value of unknown type"
        _advise(
            f"`{name}` is a {what}: pass tensors, numbers, texts and dtypes to a checked kernel"
        )
    if "value" in document:
        return Scalar(_plain(name, document["value"]))
    if "float" in document:
        return Scalar(_infinite(document["float"]))
    if "type" in document:
        return TypeName(_dtype(document["type"]))
    tensor = document.get("tensor")
    if not isinstance(tensor, str) or tensor not in {"argument", "scratch"}:
        _tampered()
    most = tensors if tensor == "argument" else scratch
    return Pointer(
        tensor=tensor,
        index=_integer(document.get("index"), 0, most - 1),
        offset=_integer(document.get("offset"), 0, 1 << 40),
        dtype=_dtype(document.get("dtype")),
    )


def _returned(claim: object, tensors: int, scratch: int) -> Pointer | None:
    document = _object(claim)
    if "tensor" not in document:
        return None
    argument = _argument("what it returns", claim, tensors, scratch)
    return argument if isinstance(argument, Pointer) else None


def _to_message(argument: Argument) -> dict[str, Any]:
    if isinstance(argument, TypeName):
        return {"type": argument.dtype}
    if isinstance(argument, Scalar):
        value = argument.value
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": str(value)}
        return {"value": value}
    return argument.to_message()


def _scratch(claim: object) -> Scratch:
    document = _object(claim)
    fill = document.get("fill")
    if fill is not None and not (isinstance(fill, str) and _is_hex(fill)):
        _tampered()
    digest = document.get("digest", "")
    if not isinstance(digest, str):
        _tampered()
    return Scratch(_integer(document.get("bytes"), 0, 1 << 40), fill, digest)


def _is_hex(text: str) -> bool:
    return len(text) in {2, 4, 8, 16} and all(c in "0123456789abcdef" for c in text)


def _plain(name: str, value: object) -> int | float | bool | str | None:
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, str):
        if not is_text(value):
            _advise(f"`{name}` is the text {value[:40]!r}: {TEXTS}")
        return value
    return _integer(value, -(1 << 63), (1 << 64) - 1)


def _infinite(value: object) -> float:
    if not isinstance(value, str) or value not in {"inf", "-inf", "nan"}:
        _tampered()
    return float(value)


def _dtype(value: object) -> str:
    if not isinstance(value, str):
        _tampered()
    if value not in ELEMENT_BYTES:
        _advise(f"the element type {value[:20]!r} cannot be checked here")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > 100 or not value.isidentifier():
        _tampered()
    return value


def _integer(value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        _tampered()
    return value


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        _tampered()
    return cast(dict[str, object], value)


def _list(value: object, most: int) -> list[object]:
    if not isinstance(value, list) or len(cast(list[object], value)) > most:
        _tampered()
    return cast(list[object], value)


def _advise(reason: str) -> NoReturn:
    raise Ruling(Verdict.WRONG_ANSWER, f"Your function cannot be replayed: {reason}.")


def _tampered() -> NoReturn:
    raise Ruling(
        Verdict.TAMPERED, "The worker's account of its launches does not keep to the protocol."
    )
