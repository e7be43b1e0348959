"""The document that the simulator's runtime writes, as it stands in it.

Read where little is installed, in the sandbox beside the kernels: plain dataclasses, strict all the
same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, cast

FORMAT = 1

T = TypeVar("T")
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Address:
    """A place in a built file."""

    module: str
    offset: int


@dataclass(frozen=True)
class RawWitness:
    """Who took part in a finding. block, thread: where the runtime knew them."""

    at: Address | None
    did: str
    block: Triple | None = None
    thread: Triple | None = None


@dataclass(frozen=True)
class RawFinding:
    """Something wrong. file, line: where the compiler knew them."""

    kind: str
    text: str
    kernel: str
    count: int
    witnesses: list[RawWitness]
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class RawSite:
    """What one instruction moves; see `hotloop.cudasim.report.Site`."""

    at: Address | None
    kernel: str
    space: str
    did: str
    accesses: int
    bytes: int
    width: int
    requests: int
    moved: int
    fewest: int


@dataclass(frozen=True)
class Launch:
    """A kernel with a configuration, and how often it was launched."""

    kernel: str
    grid: Triple
    block: Triple
    static_shared: int
    dynamic_shared: int
    launches: int


@dataclass(frozen=True)
class RawReport:
    """All of one run."""

    format: int
    ended: str
    findings: list[RawFinding]
    sites: list[RawSite]
    launches: list[Launch]


def parse(text: str) -> RawReport:
    """ValueError when the text is not such a document."""
    found = _made(
        RawReport,
        json.loads(text),
        findings=_list_of(lambda d: _made(RawFinding, d, witnesses=_list_of(_witness))),
        sites=_list_of(lambda d: _made(RawSite, d, at=_address)),
        launches=_list_of(lambda d: _made(Launch, d, grid=_triple, block=_triple)),
    )
    if found.format != FORMAT:
        raise ValueError(f"a document of format {found.format}, not {FORMAT}")
    return found


def _made(cls: type[T], data: object, **convert: Callable[[Any], Any]) -> T:
    """An object of a dataclass; every key known, every needed one there, numbers and texts so."""
    if not isinstance(data, dict):
        raise ValueError(f"{cls.__name__} is an object, not {data!r}")
    given = cast(Mapping[str, Any], data)
    known = {f.name: f for f in fields(cast(Any, cls))}
    for name in given.keys() - known.keys():
        raise ValueError(f"{cls.__name__} has no {name!r}")
    for name, field in known.items():
        if name not in given and field.default is MISSING:
            raise ValueError(f"{cls.__name__} lacks {name!r}")
    return cls(**{name: _value(name, v, known, convert) for name, v in given.items()})


def _value(
    name: str, value: Any, known: Mapping[str, Any], convert: Mapping[str, Callable[[Any], Any]]
) -> Any:
    if name in convert:
        return convert[name](value)
    wanted = int if known[name].type == "int" else str
    if type(value) is not wanted:
        raise ValueError(f"{name} is {value!r}")
    return value


def _list_of(make: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def made(values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise ValueError(f"{values!r} is no list")
        return [make(value) for value in cast(list[Any], values)]

    return made


def _witness(data: Any) -> RawWitness:
    return _made(RawWitness, data, at=_address, block=_triple, thread=_triple)


def _address(data: Any) -> Address | None:
    return None if data is None else _made(Address, data)


def _triple(values: Any) -> Triple:
    if not isinstance(values, list) or [type(v) for v in cast(list[Any], values)] != [int] * 3:
        raise ValueError(f"{values!r} is no triple of numbers")
    x, y, z = cast(list[int], values)
    return x, y, z
