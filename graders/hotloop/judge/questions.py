"""Asking a candidate for plain data: numbers, texts, lists and mappings of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from hotloop.judge.file_exchange import put_file
from hotloop.judge.link import Link, readable
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.worker.wire import as_list, as_message

Plain = str | int | float | bool | Sequence[str] | None


@dataclass(frozen=True)
class GivenFile:
    """A file that the candidate gets the path of."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Question:
    """label: how the learner is told of it. complaint: of an answer, a sentence's beginning."""

    label: str
    arguments: tuple[Plain | GivenFile, ...]
    complaint: Callable[[object], str | None]


def ask_plainly(link: Link, arguments: Sequence[Plain | GivenFile], timeout_s: float) -> object:
    """What the resolved candidate returns for `arguments`, in "json" style."""
    args = [{"json": _given(link, argument)} for argument in arguments]
    plan = {"op": "plan", "framework": "numpy", "style": "json"}
    link.request({**plan, "calls": [{"args": args, "returns": None}]}, timeout_s)
    returned = as_list(link.request({"op": "run"}, timeout_s).get("returned"))
    first = as_message(returned[0]) if len(returned) == 1 else None
    if first is None or "json" not in first:
        raise Ruling(Verdict.TAMPERED, "The worker's answer does not keep to the protocol.")
    return first["json"]


def put_folder(link: Link) -> str:
    """A new folder of the worker's, which the candidate may write to."""
    return str(PurePosixPath(put_file(link, ".given", b"")).parent)


def number_complaint(
    what: str, got: object, want: float | None, relative: float, absolute: float = 0.0
) -> str | None:
    """A sentence's beginning when `got` is not `want`, within what is said to be allowed."""
    if want is None:
        return None if got is None else f"{what} is {shown(got)} and should be None"
    if isinstance(got, bool) or not isinstance(got, int | float):
        return f"{what} is {shown(got)}, not a number"
    try:
        number = float(got)
    except OverflowError:
        return f"{what} is far too large"
    if abs(number - want) <= relative * abs(want) + absolute:
        return None
    return f"{what} is {number:.6g} and should be {want:.6g}"


def shown(value: object) -> str:
    """An answer as it may stand in a sentence."""
    return readable(repr(value), 60)


def _given(link: Link, argument: Plain | GivenFile) -> Plain:
    if isinstance(argument, GivenFile):
        return put_file(link, argument.name, argument.data)
    return argument
